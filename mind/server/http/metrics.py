"""Figures of a running service, in the text format of Prometheus."""

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator

MEDIA = "text/plain; version=0.0.4; charset=utf-8"
_BOUNDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)
"""Upper ends of the classes of durations, seconds."""


class Metrics:
    """Counters since the start. Routes are named by their templates: ids are nobody's business."""

    def __init__(self) -> None:
        self._requests: Counter[tuple[str, str, int]] = Counter()
        self._classes: dict[str, list[int]] = {}
        self._spent: dict[str, float] = {}
        self.refused: Counter[str] = Counter()
        self.gauges: dict[str, int] = {}

    def add(self, route: str, method: str, status: int, seconds: float) -> None:
        """Count an answer."""
        self._requests[route, method, status] += 1
        classes = self._classes.setdefault(route, [0] * (len(_BOUNDS) + 1))
        classes[bisect_left(_BOUNDS, seconds)] += 1
        self._spent[route] = self._spent.get(route, 0.0) + seconds

    def text(self) -> str:
        """All of them."""
        return "\n".join([*self._requested(), *self._lasted(), *self._others()]) + "\n"

    def _requested(self) -> Iterator[str]:
        yield "# HELP mind_http_requests_total Answers, by route, method and status."
        yield "# TYPE mind_http_requests_total counter"
        for (route, method, status), count in sorted(self._requests.items()):
            labels = f'route="{route}",method="{method}",status="{status}"'
            yield f"mind_http_requests_total{{{labels}}} {count}"

    def _lasted(self) -> Iterator[str]:
        name = "mind_http_request_seconds"
        yield f"# HELP {name} How long answers took."
        yield f"# TYPE {name} histogram"
        for route, classes in sorted(self._classes.items()):
            count = 0
            for bound, more in zip((*_BOUNDS, "+Inf"), classes, strict=True):
                count += more
                yield f'{name}_bucket{{route="{route}",le="{bound}"}} {count}'
            yield f'{name}_sum{{route="{route}"}} {self._spent[route]:.6f}'
            yield f'{name}_count{{route="{route}"}} {count}'

    def _others(self) -> Iterator[str]:
        yield "# HELP mind_http_refused_total Requests that were refused, by the reason."
        yield "# TYPE mind_http_refused_total counter"
        for reason, count in sorted(self.refused.items()):
            yield f'mind_http_refused_total{{reason="{reason}"}} {count}'
        for name, value in sorted(self.gauges.items()):
            yield f"# TYPE mind_http_{name} gauge"
            yield f"mind_http_{name} {value}"
