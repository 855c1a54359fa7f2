"""The model of speed-up, against hand computation."""

import pytest

from benchmarks.cluster import BYTES_PER_SECOND, Cost


def test_tasks_that_take_long_are_shared_out_in_whole_rounds() -> None:
    cost = Cost(seconds=10.0, overhead=0.001, content=0, unpacking=0.0)
    assert cost.speed_up(16, tasks=64) == pytest.approx(16.0)
    assert cost.speed_up(16, tasks=65) == pytest.approx(65 / 5)  # a fifth round has one task


def test_the_client_is_the_limit_where_tasks_are_short() -> None:
    cost = Cost(seconds=0.01, overhead=0.002, content=0, unpacking=0.0)
    assert cost.most_workers == pytest.approx(5.0)
    assert cost.speed_up(1024, tasks=1024) == pytest.approx(5.0)


def test_the_data_doubles_its_copies() -> None:
    cost = Cost(seconds=1.0, overhead=0.0, content=int(BYTES_PER_SECOND), unpacking=0.5)
    assert cost.speed_up(3, tasks=3) == pytest.approx(3 / (2 + 0.5 + 1))  # two steps: one worker, then two more
