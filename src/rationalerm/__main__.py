"""`python -m rationalerm`."""

import sys

from rationalerm.cli import main

sys.exit(main())
