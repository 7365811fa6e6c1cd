"""The graphs of this folder's tests are interpreted."""

from tests.interpretation import interpreted

__all__ = ["interpreted"]
