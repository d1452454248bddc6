import os
import subprocess
import sys

import pytest

POLICY = "OMP_WAIT_POLICY"
CODE = f"""
import os
seen = []
class Watch:
    def find_spec(self, name, path=None, target=None):
        if name == "llama_cpp":
            seen.append(os.environ.get({POLICY!r}))
import sys
sys.meta_path.insert(0, Watch())
import metricsengine_llamacpp
assert not seen, "the plugin itself must not import the library"
import metricsengine_llamacpp.library
print(*seen, os.environ.get({POLICY!r}))
"""


@pytest.mark.parametrize(("given", "seen"), [({}, "passive None"), ({POLICY: "active"}, "active active")])
def test_threads_wait_quietly_unless_the_user_says_how(given: dict[str, str], seen: str) -> None:
    environment = {key: value for key, value in os.environ.items() if key != POLICY} | given
    shown = subprocess.run([sys.executable, "-c", CODE], env=environment, capture_output=True, text=True, check=True)
    assert shown.stdout.strip() == seen
