import Testing

/// Bytes that a client sends, and what comes back.
struct RequestCase: Sendable, CustomTestStringConvertible {
  var name: String
  var bytes: String
  /// The methods of the requests that are answered.
  var methods: [String]
  /// Status and, of a 200, content.
  var answers: [String]
  var isKept: Bool

  var testDescription: String { name }

  /// Requests that are served.
  static func served(
    _ name: String,
    _ bytes: String,
    _ methods: [String] = ["GET"],
    _ answers: [String] = ["200 GET /a"],
    isKept: Bool = true
  ) -> RequestCase {
    RequestCase(name: name, bytes: bytes, methods: methods, answers: answers, isKept: isKept)
  }

  /// A request that is refused, with the end of the connection.
  static func refused(_ status: Int, _ name: String, _ bytes: String) -> RequestCase {
    RequestCase(name: name, bytes: bytes, methods: ["GET"], answers: ["\(status)"], isKept: false)
  }
}

extension RequestCase {
  static var all: [RequestCase] { served + refused }

  /// Content that would be a request of its own for whoever frames it otherwise.
  private static let inner = "GET /smuggled HTTP/1.1\r\nHost: x\r\n\r\n"

  private static func get(_ fields: String = "", _ line: String = "GET /a HTTP/1.1") -> String {
    "\(line)\r\nHost: x\r\n\(fields)\r\n"
  }

  private static func post(_ fields: String, _ content: String) -> String {
    "POST /a HTTP/1.1\r\nHost: x\r\n\(fields)\r\n\(content)"
  }

  private static func chunked(_ content: String) -> String {
    post("Transfer-Encoding: chunked\r\n", content)
  }

  fileprivate static let served: [RequestCase] = [
    .served("a plain request", get()),
    .served("an empty line before a request", "\r\n" + get()),
    .served("no Host in HTTP/1.0", "GET /a HTTP/1.0\r\n\r\n", isKept: false),
    .served("keep-alive in HTTP/1.0", "GET /a HTTP/1.0\r\nConnection: keep-alive\r\n\r\n"),
    .served("a later minor version", get("", "GET /a HTTP/1.2")),
    .served("an empty Host", "GET /a HTTP/1.1\r\nHost:\r\n\r\n"),
    .served("a Host in brackets", "GET /a HTTP/1.1\r\nHost: [::1]:8080\r\n\r\n"),
    .served("a URL prevails over Host", "GET http://y/a HTTP/1.1\r\nHost: x\r\n\r\n"),
    .served("Connection: close", get("Connection: close\r\n"), isKept: false),
    .served(
      "Connection: close in the middle of a pipeline",
      get() + get("Connection: close\r\n") + get(),
      ["GET", "GET"],
      ["200 GET /a", "200 GET /a"],
      isKept: false
    ),
    .served(
      "a pipeline of mixed methods",
      get() + get("", "HEAD /head HTTP/1.1") + post("Content-Length: 5\r\n", "hello")
        + get("", "GET /none HTTP/1.1") + get("", "GET /same HTTP/1.1")
        + chunked("2\r\nhi\r\n0\r\n\r\n") + get("", "DELETE /a HTTP/1.1"),
      ["GET", "HEAD", "POST", "GET", "GET", "POST", "DELETE"],
      ["200 GET /a", "200 ", "200 5 hello", "204", "304", "200 2 hi", "501"]
    ),
    .served("TE and Upgrade", get("TE: trailers\r\nConnection: TE, Upgrade\r\nUpgrade: h2c\r\n")),
    .served(
      "chunks with extensions and trailers",
      chunked("5;a=\"b;c\" ;d\r\nhello\r\n00\r\nX-T: 1\r\nContent-Length: 9\r\n\r\n"),
      ["POST"],
      ["200 5 hello"]
    ),
    .served(
      "every form of an extension",
      chunked("5\t; a;b=c;d=\"\"; e = \"\\\";\\\\\"\t;\tf=g\r\nhello\r\n0;last\r\n\r\n"),
      ["POST"],
      ["200 5 hello"]
    ),
    .served(
      "content that looks like a request",
      post("Content-Length: \(inner.utf8.count)\r\n", inner),
      ["POST"],
      ["200 \(inner.utf8.count) \(inner)"]
    ),
    .served(
      "content of a GET",
      "GET /a HTTP/1.1\r\nHost: x\r\nContent-Length: \(inner.utf8.count)\r\n\r\n\(inner)"
    ),
    .served("an unknown method", get("", "BREW /a HTTP/1.1"), ["BREW"], ["501"]),
    .served("OPTIONS *", get("", "OPTIONS * HTTP/1.1"), ["OPTIONS"], ["501"]),
    .served(
      "an expectation of HTTP/1.0",
      "POST /a HTTP/1.0\r\nExpect: 100-continue\r\nContent-Length: 5\r\n\r\nhello",
      ["POST"],
      ["200 5 hello"],
      isKept: false
    ),
    .served("an expectation without content", get("Expect: 100-continue\r\n")),
    .served(
      "CONNECT to what is no proxy",
      "CONNECT a.test:443 HTTP/1.1\r\nHost: a.test:443\r\n\r\n" + inner,
      ["POST"],
      ["501"],
      isKept: false
    ),
  ]

  fileprivate static let refused: [RequestCase] = [
    .refused(
      400,
      "two different lengths",
      post("Content-Length: 4\r\nContent-Length: 5\r\n", "abcde")
    ),
    .refused(400, "two equal lengths", post("Content-Length: 5\r\nContent-Length: 5\r\n", "abcde")),
    .refused(
      400,
      "a length and chunks",
      post("Content-Length: 5\r\nTransfer-Encoding: chunked\r\n", "0\r\n\r\n")
    ),
    .refused(
      400,
      "chunks and a length",
      post("Transfer-Encoding: chunked\r\nContent-Length: 5\r\n", "0\r\n\r\n")
    ),
    .refused(400, "a length with a sign", post("Content-Length: +5\r\n", "hello")),
    .refused(400, "a length in hexadecimal", post("Content-Length: 0x5\r\n", "hello")),
    .refused(400, "a length with a space", post("Content-Length: 1 0\r\n", "hello")),
    .refused(413, "a length beyond counting", post("Content-Length: 99999999999999999999\r\n", "")),
    .refused(
      413,
      "too much content, told before it is sent",
      post("Expect: 100-continue\r\nContent-Length: 99999999999\r\n", "")
    ),
    .refused(400, "a chunk size with a sign", chunked("+5\r\nhello\r\n0\r\n\r\n")),
    .refused(400, "a negative chunk size", chunked("-5\r\nhello\r\n0\r\n\r\n")),
    .refused(400, "a chunk size with a prefix", chunked("0x5\r\nhello\r\n0\r\n\r\n")),
    .refused(400, "a space before a chunk size", chunked(" 5\r\nhello\r\n0\r\n\r\n")),
    .refused(400, "a space within a chunk size", chunked("1 0\r\nhello\r\n0\r\n\r\n")),
    .refused(400, "a chunk size beyond counting", chunked("10000000000000005\r\nhello\r\n")),
    .refused(400, "no chunk size", chunked(";a=b\r\nhello\r\n0\r\n\r\n")),
    .refused(400, "a chunk that is too long", chunked("5\r\nhello!\r\n0\r\n\r\n")),
    .refused(400, "a chunk line that ends with LF", chunked("5\nhello\r\n0\r\n\r\n")),
    .refused(400, "a chunk that ends with LF", chunked("5\r\nhello\n0\r\n\r\n")),
    .refused(400, "a CR within a chunk's extension", chunked("5;a\rb\r\nhello\r\n0\r\n\r\n")),
    .refused(400, "an extension without a name", chunked("5;\r\nhello\r\n0\r\n\r\n")),
    .refused(400, "an extension without a name in the last chunk", chunked("0;\r\n\r\n")),
    .refused(400, "an empty extension before another", chunked("5;;a\r\nhello\r\n0\r\n\r\n")),
    .refused(400, "an extension's value without a name", chunked("5;=b\r\nhello\r\n0\r\n\r\n")),
    .refused(400, "an extension without its value", chunked("5;a=\r\nhello\r\n0\r\n\r\n")),
    .refused(400, "a quote that does not end", chunked("5;a=\"b\r\nhello\r\n0\r\n\r\n")),
    .refused(400, "an escaped quote at the end", chunked("5;a=\"b\\\"\r\nhello\r\n0\r\n\r\n")),
    .refused(400, "a backslash at the end", chunked("5;a=\"b\\\r\nhello\r\n0\r\n\r\n")),
    .refused(400, "a quote within a value", chunked("5;a=b\"c\"\r\nhello\r\n0\r\n\r\n")),
    .refused(400, "a quoted name", chunked("5;\"a\"=b\r\nhello\r\n0\r\n\r\n")),
    .refused(400, "more behind a quoted value", chunked("5;a=\"b\"c\r\nhello\r\n0\r\n\r\n")),
    .refused(400, "two words in a value", chunked("5;a=b c\r\nhello\r\n0\r\n\r\n")),
    .refused(400, "a control character in a quote", chunked("5;a=\"\u{1}\"\r\nhello\r\n0\r\n\r\n")),
    .refused(400, "a space behind a chunk size", chunked("5 \r\nhello\r\n0\r\n\r\n")),
    .refused(400, "a tab behind a chunk size", chunked("5\t\r\nhello\r\n0\r\n\r\n")),
    .refused(400, "a space behind the last chunk's size", chunked("0 \r\n\r\n")),
    .refused(400, "a space behind an extension", chunked("5;a \r\nhello\r\n0\r\n\r\n")),
    .refused(400, "a trailer that is folded", chunked("0\r\nX: 1\r\n 2\r\n\r\n")),
    .refused(501, "another transfer coding", post("Transfer-Encoding: gzip, chunked\r\n", "")),
    .refused(400, "chunked and then another", post("Transfer-Encoding: chunked, gzip\r\n", "")),
    .refused(400, "chunked twice", post("Transfer-Encoding: chunked, chunked\r\n", "0\r\n\r\n")),
    .refused(
      400,
      "chunks in HTTP/1.0",
      "POST /a HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"
    ),
    .refused(400, "a folded field", get("X: 1\r\n 2\r\n")),
    .refused(400, "a space before the first field", "GET /a HTTP/1.1\r\n Host: x\r\n\r\n"),
    .refused(400, "a CR within a field", get("X: 1\r2\r\n")),
    .refused(400, "a NUL within a field", get("X: 1\u{0}2\r\n")),
    .refused(400, "a NUL within the target", get("", "GET /a\u{0} HTTP/1.1")),
    .refused(400, "a CR within the request line", get("", "GET /a\r HTTP/1.1")),
    .refused(400, "lines that end with LF", "GET /a HTTP/1.1\nHost: x\n\n"),
    .refused(400, "one line that ends with LF", "GET /a HTTP/1.1\r\nHost: x\nX: 1\r\n\r\n"),
    .refused(400, "a space before the colon", get("Content-Length : 5\r\n")),
    .refused(400, "a field without a name", get(": 5\r\n")),
    .refused(400, "a line without a colon", get("X\r\n")),
    .refused(400, "no Host", "GET /a HTTP/1.1\r\n\r\n"),
    .refused(400, "no Host beside a URL", "GET http://x/a HTTP/1.1\r\n\r\n"),
    .refused(400, "two Hosts", "GET /a HTTP/1.1\r\nHost: x\r\nHost: x\r\n\r\n"),
    .refused(400, "a Host with a path", "GET /a HTTP/1.1\r\nHost: x/a\r\n\r\n"),
    .refused(400, "a Host with a user", "GET /a HTTP/1.1\r\nHost: u@x\r\n\r\n"),
    .refused(400, "a Host with a port that is none", "GET /a HTTP/1.1\r\nHost: x:http\r\n\r\n"),
    .refused(400, "a URL without a host", get("", "GET http:///a HTTP/1.1")),
    .refused(400, "an authority with GET", get("", "GET x:80 HTTP/1.1")),
    .refused(400, "an asterisk with GET", get("", "GET * HTTP/1.1")),
    .refused(400, "a path with CONNECT", get("", "CONNECT /a HTTP/1.1")),
    .refused(400, "a fragment", get("", "GET /a#b HTTP/1.1")),
    .refused(400, "two spaces in the request line", get("", "GET  /a HTTP/1.1")),
    .refused(400, "HTTP/0.9", "GET /a\r\n"),
    .refused(505, "the preface of HTTP/2", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"),
    .refused(505, "HTTP/2.0", get("", "GET /a HTTP/2.0")),
    .refused(400, "a version in small letters", get("", "GET /a http/1.1")),
    .refused(414, "a long target", get("", "GET /\(String(repeating: "a", count: 9000)) HTTP/1.1")),
    .refused(431, "a long field", get("X: \(String(repeating: "a", count: 70_000))\r\n")),
    .refused(431, "many fields", get((0..<201).map { "X\($0): 1\r\n" }.joined())),
    .refused(417, "another expectation", get("Expect: tea\r\n")),
  ]
}
