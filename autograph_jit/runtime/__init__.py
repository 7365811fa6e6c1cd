"""Compiled functions at run time: tracing programs, guards, specializations, dispatch, exceptions at the user's line."""
