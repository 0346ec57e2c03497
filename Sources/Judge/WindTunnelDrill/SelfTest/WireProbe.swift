internal import Foundation
internal import WindTunnelServer

/// The expected observation of a fault by a raw socket.
struct ExpectedView: Sendable, Hashable {
  /// The way in which a connection, or the attempt to open one, ends.
  enum ConnectionEnd: String, Sendable, Hashable {
    /// The connection ends with a TCP FIN.
    case finished = "FIN"
    /// The connection ends with a TCP RST.
    case reset = "RST"
    /// The connection stays open, and no more bytes arrive.
    case open = "silence"
    /// No server listens at the port.
    case refused = "refused"
    /// The attempt to connect gets no reply.
    case unanswered = "no response to SYN"
    /// The name has no address.
    case nameless = "no address"
  }

  /// The status, if a well-formed response begins.
  var status: Int?
  /// The content after a head, or all received bytes if there is no head.
  var bytes = Data()
  /// The way in which the connection ends.
  var ending = ConnectionEnd.finished
  /// The time for which the server is intentionally silent before the end.
  var pauses = Duration.zero
  /// Whether a TLS handshake begins. Only a client with a TLS library can judge its content.
  var isHandshake = false
  /// Whether the connection is kept open until the client's next byte.
  var endsAtNextByte = false

  /// Creates the expected observation of the steps that were decided.
  init(_ delivery: Delivery) {
    for step in delivery.steps {
      switch step {
      case .wait(let time): pauses += time
      case .head(let head): status = head.status
      case .bytes(.data(let data)): bytes += data
      case .reset: ending = .reset
      case .stall: ending = .open
      case .shakeHands: (isHandshake, ending) = (true, .open)
      case .converse(let head, _): (status, ending) = (head.status, .open)
      case .await, .bytes(.live), .converseLive, .finish, .close, .closeWrite, .fail, .relay,
        .relayUntil:
        break
      }
    }
    guard case .idle(let end) = delivery.afterwards else { return }
    ending = end.ending == .reset ? .reset : .finished
    switch end.moment {
    case .idle(let time): pauses += time
    case .nextRequest: endsAtNextByte = true
    }
  }

  /// Creates the expected observation of a connection that fails before any byte is sent.
  init(_ ending: ConnectionEnd, after pauses: Duration = .zero) {
    (self.ending, self.pauses) = (ending, pauses)
  }

  /// The observation in a line.
  var text: String {
    var parts: [String] = []
    if pauses > .zero { parts.append("\(Int(pauses.inMilliseconds)) ms of silence") }
    if isHandshake { parts.append("a ServerHello") }
    if let status { parts.append("\(status)") }
    if !bytes.isEmpty { parts.append("\(bytes.count) bytes") }
    return (parts + [ending.rawValue]).joined(separator: ", ")
  }
}

/// A probe of a fault by a raw socket. It observes details that a library would hide: every byte,
/// and whether the connection ended with a FIN or a reset. It blocks.
struct WireProbe {
  /// The observation of one probe.
  struct View: Sendable, Hashable {
    var bytes: [UInt8] = []
    var ending: ExpectedView.ConnectionEnd?
    /// The time from the first step to the end.
    var took = Duration.zero

    /// The offset of the message type in the first record, after type, version and length (RFC 8446
    /// §5.1, §4).
    fileprivate static let messageType = 5
  }

  let host: String
  let port: Int
  /// The bytes that are sent first.
  let opening: [UInt8]
  let asked: ExpectedView

  /// The time in milliseconds after which silence counts as silence.
  private static let silence = 200
  /// The maximum time in milliseconds of any wait.
  private static let patience = 30_000
  /// The time in milliseconds after which an attempt to connect without a reply counts as lost.
  private static let connectPatience = 1_500

  /// Probes the fault once.
  func look() -> View {
    let start = ContinuousClock.now
    var view = View()
    view.ending = meet(&view.bytes)
    view.took = .now - start
    return view
  }

  private func meet(_ bytes: inout [UInt8]) -> ExpectedView.ConnectionEnd? {
    let socket: Socket
    do throws(SocketError) {
      guard let address = try SocketAddress.resolve(host, port: port).first else {
        return .nameless
      }
      socket = try .connecting(to: address)
    } catch {
      return error.operation == .connect ? Self.ending(of: error.code) : .nameless
    }
    defer { socket.close() }
    let patience = asked.ending == .unanswered ? Self.connectPatience : Self.patience
    guard Self.wait(for: POLLOUT, on: socket, patience) else { return .unanswered }
    let code = socket.pendingError
    guard code == 0 else { return Self.ending(of: code) }
    guard send(opening, on: socket) else { return .reset }
    return read(socket, &bytes)
  }

  private static func ending(of code: Int32) -> ExpectedView.ConnectionEnd? {
    switch code {
    case ECONNREFUSED: .refused
    case ETIMEDOUT: .unanswered
    default: nil
    }
  }

  private func read(_ socket: Socket, _ bytes: inout [UInt8]) -> ExpectedView.ConnectionEnd? {
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    var hasNudged = false
    while true {
      let isThere = has(bytes)
      if asked.endsAtNextByte, isThere, !hasNudged {
        hasNudged = true
        _ = send([UInt8(ascii: "G")], on: socket)
      }
      let isSilent = asked.ending == .open && isThere
      guard Self.wait(for: POLLIN, on: socket, isSilent ? Self.silence : Self.patience) else {
        return .open
      }
      switch buffer.withUnsafeMutableBytes({ socket.read(into: $0) }) {
      case .bytes(let count): bytes += buffer[..<count]
      case .end: return .finished
      case .wouldBlock: break
      case .failed(let error): return error.code == ECONNRESET ? .reset : nil
      }
    }
  }

  /// Returns whether everything that is expected was received.
  private func has(_ bytes: [UInt8]) -> Bool {
    if asked.isHandshake { return bytes.count > View.messageType }
    guard asked.status != nil else { return bytes.count >= asked.bytes.count }
    guard let head = Data(bytes).range(of: Data("\r\n\r\n".utf8)) else { return false }
    return bytes.count - head.upperBound >= asked.bytes.count
  }

  /// Sends bytes, which must fit into the buffer of a new connection.
  private func send(_ bytes: [UInt8], on socket: Socket) -> Bool {
    if case .bytes(bytes.count) = bytes.withUnsafeBytes({ socket.write($0) }) {
      true
    } else {
      false
    }
  }

  private static func wait(for event: Int32, on socket: Socket, _ milliseconds: Int) -> Bool {
    var query = pollfd(fd: socket.descriptor, events: Int16(event), revents: 0)
    while true {
      let count = poll(&query, 1, Int32(milliseconds))
      if count < 0, errno == EINTR { continue }
      return count > 0
    }
  }
}

extension WireProbe.View {
  /// Returns whether the observation is the expected one. A well-formed response may have
  /// additional fields of the server. Only its status, content and end are therefore compared.
  func matches(_ asked: ExpectedView) -> Bool {
    guard ending == asked.ending, took >= asked.pauses - .milliseconds(5) else { return false }
    if asked.isHandshake {
      // handshake(22), server_hello(2).
      return bytes.first == 22 && bytes.dropFirst(Self.messageType).first == 2
    }
    guard let status = asked.status else { return bytes.elementsEqual(asked.bytes) }
    let text = Array("HTTP/1.1 \(status)".utf8)
    // After status 101, a conversation follows and no other response.
    let answer = status == 101 ? bytes[...] : Self.withoutInterim(bytes[...])
    return answer.starts(with: text)
      && Self.unchunked(bytes).suffix(asked.bytes.count).elementsEqual(asked.bytes)
  }

  /// Returns the content of a chunked response as far as it can be read, or else all of its bytes
  /// (RFC 9112 §7.1).
  private static func unchunked(_ bytes: [UInt8]) -> [UInt8] {
    let data = Data(bytes)
    guard let head = data.range(of: Data("\r\n\r\n".utf8)),
      String(decoding: data[..<head.lowerBound], as: UTF8.self).lowercased()
        .contains("transfer-encoding: chunked")
    else { return bytes }
    var (content, rest): ([UInt8], Data) = ([], data[head.upperBound...])
    while let line = rest.range(of: Data("\r\n".utf8)),
      let count = Int(String(decoding: rest[..<line.lowerBound], as: UTF8.self), radix: 16),
      count > 0, rest.endIndex - line.upperBound >= count + 2
    {
      content += rest[line.upperBound..<line.upperBound + count]
      rest = rest[(line.upperBound + count + 2)...]
    }
    return rest.isEmpty ? content : bytes
  }

  /// Returns the rest of a response after its interim responses (RFC 9110 §15.2).
  private static func withoutInterim(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    var rest = bytes
    while rest.starts(with: Array("HTTP/1.1 1".utf8)),
      let end = Data(rest.prefix(1024)).range(of: Data("\r\n\r\n".utf8))
    {
      rest = rest.dropFirst(end.upperBound)
    }
    return rest
  }

  /// Returns the observation in a line.
  func text(as asked: ExpectedView) -> String {
    if matches(asked) { return asked.text }
    let count = bytes.isEmpty ? "" : "\(bytes.count) bytes, "
    return
      "\(Int(took.inMilliseconds)) ms, \(count)\(ending?.rawValue ?? "an error of the socket's")"
  }
}
