"""One setting for every property-based test."""

from __future__ import annotations

from hypothesis import HealthCheck, settings

# The same examples every time, and no clock: a run tells about the code, not about the machine or the day.
# `pytest --hypothesis-profile=explore` looks for new ones.
settings.register_profile("steady", deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile(
    "explore", deadline=None, max_examples=1000, print_blob=True, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("steady")
