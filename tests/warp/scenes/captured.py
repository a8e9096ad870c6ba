"""A test whose output is captured: python -m unittest -b, or pytest."""

import unittest

import main


class Captured(unittest.TestCase):
    def test_launch(self) -> None:
        main.plain()
