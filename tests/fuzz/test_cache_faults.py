"""Some of the faults that `scripts/fuzz --cache-faults` lets the cache's file operations have."""

from __future__ import annotations

import os

import pytest

from tests.fuzz.cache_faults import CacheCampaign


@pytest.mark.skipif(os.name != "posix", reason="pipes, and processes that are killed, are a matter of POSIX")
def test_faults_of_file_operations_change_no_result_and_warn_once() -> None:
    campaign = CacheCampaign()
    campaign.run(step=97)
    assert not campaign.wrong, campaign.report()
    assert campaign.kinds.total() > 30
