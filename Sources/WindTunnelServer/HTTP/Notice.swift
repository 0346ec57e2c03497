internal import WindTunnel

extension Response {
  /// An answer in words.
  static func notice(_ status: Int, _ text: String) -> Response {
    Response(
      status: status,
      headers: ["Content-Type": "text/plain; charset=utf-8"],
      body: Body(text + "\n")
    )
  }
}

extension Channel {
  /// Writes an answer in words that is the connection's last.
  func writeNotice(_ status: Int, _ text: String) {
    let notice = Array("\(text)\n".utf8)
    write { bytes in
      bytes.appendHead(
        ResponseHead(
          status: status,
          headers: [
            "Content-Type": "text/plain; charset=utf-8", "Content-Length": String(notice.count),
            "Connection": "close",
          ]
        )
      )
      bytes.append(contentsOf: notice)
    }
  }
}
