"""A module whose import takes time of its own."""

import inject_wait

inject_wait.wait("imports")
