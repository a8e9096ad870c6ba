"""8 threads, 2500 launches each, two dims each."""

import threading

import common

common.go(1)


def work(number):
    x = common.memory(64)
    for turn in range(1250):
        common.go(1, x, 16)
        common.go(1, x, 32 + number % 2)


threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
