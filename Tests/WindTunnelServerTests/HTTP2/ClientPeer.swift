import TestSupport

@testable import WindTunnelHTTP
@testable import WindTunnelWire

/// A client's codec, whose server writes frames as words. It spells the events of responses.
final class ClientPeer {
  let codec: HTTP2ClientCodec
  private(set) var events: [String] = []
  private var output: [UInt8] = []

  /// Opens streams with a request each, after both sides have sent their SETTINGS.
  init(_ methods: [String] = ["GET"], limits: Limits = .upstream) {
    codec = HTTP2ClientCodec(limits: limits)
    for method in methods { _ = try? codec.open(Self.head(method), scheme: "http", to: &output) }
    output = []
    _ = exchange("SETTINGS; SETTINGS ack")
  }

  static func head(_ method: String, contentBytes count: Int = 0) -> RequestHead {
    RequestHead(
      method: method,
      target: "/p?q",
      version: .http2,
      headers: ["Host": "a.test", "x": "1", "content-length": "\(count)"],
      framing: count == 0 ? .none : .length(count),
      keepsAlive: true,
      expectsContinue: false
    )
  }

  func feed(_ bytes: [UInt8]) {
    bytes.withUnsafeBytes { codec.connection.feed($0) }
    while let (stream, event) = codec.next() { events.append("\(stream) \(Self.spell(event))") }
  }

  /// Sends the frames that are spelled here. Returns the events and the client's frames.
  func exchange(_ words: String) -> String {
    for command in words.components(separatedBy: "; ") {
      let words = command.split(separator: " ").map(String.init)
      if words == ["EOF"] { codec.connection.feedEnd() }
      feed(words == ["EOF"] ? [] : FramePeer.frame(words[0], Array(words.dropFirst())))
    }
    _ = codec.connection.appendPending(upTo: .max, to: &output)
    defer { (events, output) = ([], []) }
    return (events + FramePeer(isOpen: false).frames(output)).joined(separator: "; ")
  }

  private static func spell(_ event: HTTP2ClientCodec.Event) -> String {
    switch event {
    case .head(let start):
      ([start.head.status.description] + start.head.headers.map(\.name)).joined(separator: " ")
    case .content(let data): "=\(data.count)"
    case .trailers(let fields): "trailers \(fields.map(\.name).joined(separator: " "))"
    case .end: "end"
    case .goAway(let error, let last): "goaway \(last) \(error)"
    case .failed(.notProcessed(let error)): "unprocessed \(error)"
    case .failed(.reset(let error)): "reset \(error)"
    case .failed(.invalid(let error)): "invalid \(error.status)"
    case .failed(.connectionEnded(let error)): "ended \(error.map { "\($0)" } ?? "-")"
    }
  }
}
