"""``python -m metricsengine``."""

import sys

from metricsengine.cli import main

sys.exit(main())
