#!/usr/bin/env python3
"""Two minutes of tests/helper/soak.py, at a rate that leaves the machine to other tests."""
import os, subprocess, sys

here = os.path.dirname(os.path.abspath(__file__))
sys.exit(subprocess.run([sys.executable, os.path.join(here, "soak.py"), "--seconds", "120", "--rate", "40"]).returncode)
