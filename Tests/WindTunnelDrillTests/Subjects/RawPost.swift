import Origins
import TestSupport
import WindTunnelDrill

/// A client that leaves in the middle of its request.
enum RawPost {
  static func breakOff(_ call: DrillCall) throws {
    let port = try #require(call.url.port)
    let length = call.request.body.count
    let head =
      "POST \(call.url.path) HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: \(length)\r\n\r\n"
    let half = Data(head.utf8) + Data(count: length / 2)
    do {
      _ = try LoopbackExchange.answer(to: half, at: port, isCut: true)
    } catch {
      // The server ends the connection when it has noticed, one way or the other.
      guard error.code == .ECONNRESET else { throw error }
    }
  }
}
