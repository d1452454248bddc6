import os
import subprocess
import sys

import pytest

NAMES = ("GOMP_SPINCOUNT", "OMP_WAIT_POLICY")
CODE = f"""
import os, sys
seen = []
class Watch:
    def find_spec(self, name, path=None, target=None):
        if name == "llama_cpp":
            seen.extend(map(os.environ.get, {NAMES!r}))
sys.meta_path.insert(0, Watch())
import metricsengine_llamacpp
assert not seen, "the plugin itself must not import the library"
import metricsengine_llamacpp.bindings
print(*seen, *map(os.environ.get, {NAMES!r}))
"""


@pytest.mark.parametrize(
    ("given", "seen"),
    [
        ({}, "2000 None None None"),
        ({"OMP_WAIT_POLICY": "active"}, "None active None active"),
        ({"GOMP_SPINCOUNT": "7"}, "7 None 7 None"),
    ],
)
def test_threads_spin_briefly_unless_the_user_says_how(given: dict[str, str], seen: str) -> None:
    environment = {key: value for key, value in os.environ.items() if key not in NAMES} | given
    shown = subprocess.run([sys.executable, "-c", CODE], env=environment, capture_output=True, text=True, check=True)
    assert shown.stdout.strip() == seen
