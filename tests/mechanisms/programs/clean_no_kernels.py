"""Clean: a service that answers requests and has nothing to do with kernels."""

import http.server
import threading
import urllib.request


class Answer(http.server.BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        self.send_response(200)
        self.end_headers()
        self.wfile.write(b"fine")

    def log_message(self, *_: object) -> None:
        pass


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Answer)
threading.Thread(target=server.serve_forever, daemon=True).start()
for _ in range(5):
    with urllib.request.urlopen(f"http://127.0.0.1:{server.server_port}/") as answer:
        answer.read()
server.shutdown()
