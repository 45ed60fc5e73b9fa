# SPDX-License-Identifier: GPL-2.0-only
"""What bench/report.py is made of: records -> results -> tables, headlines, plots."""
