internal import Foundation

/// The decision about a fault, as far as a raw socket can tell whether it came so.
struct ExpectedView: Sendable, Hashable {
  /// The end of a connection, or of the attempt at one.
  enum Ending: String, Sendable, Hashable {
    /// By a FIN of TCP.
    case finished = "FIN"
    /// By a RST of TCP.
    case reset = "RST"
    /// The connection stays open, and no more bytes come.
    case open = "silence"
    /// Nobody listens at the port.
    case refused = "refused"
    /// Nobody answers the attempt to connect.
    case unanswered = "no answer to SYN"
    /// The name has no address.
    case nameless = "no address"
  }

  /// The status, where an answer in good form begins.
  var status: Int?
  /// The content behind a head; without one everything that comes.
  var bytes = Data()
  /// The way in which it ends.
  var ending = Ending.finished
  /// The time for which the server is silent on purpose before the end.
  var pauses = Duration.zero
  /// Tells whether a TLS handshake begins; what it shows is for a client with a library to judge.
  var isHandshake = false
  /// Tells whether the connection is kept until the client's next byte.
  var endsAtNextByte = false

  /// Reads the steps that were decided.
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

  /// A connection that fails before anything is sent on it.
  init(_ ending: Ending, after pauses: Duration = .zero) {
    (self.ending, self.pauses) = (ending, pauses)
  }

  /// The same in a line.
  var text: String {
    var parts: [String] = []
    if pauses > .zero { parts.append("\(Int(pauses.inMilliseconds)) ms of silence") }
    if isHandshake { parts.append("a ServerHello") }
    if let status { parts.append("\(status)") }
    if !bytes.isEmpty { parts.append("\(bytes.count) bytes") }
    return (parts + [ending.rawValue]).joined(separator: ", ")
  }
}

/// A look at a fault by a socket of its own, which sees what a library would hide: every byte, and
/// whether the end was a FIN or a reset. It blocks.
struct WireProbe {
  /// The sight of one look.
  struct View: Sendable, Hashable {
    var bytes: [UInt8] = []
    var ending: ExpectedView.Ending?
    /// From the first step to the end.
    var took = Duration.zero

    /// The place at which the first record's message says what it is, behind type, version and
    /// length (RFC 8446 §5.1, §4).
    fileprivate static let messageType = 5
  }

  let host: String
  let port: Int
  /// The bytes that are sent first.
  let opening: [UInt8]
  let asked: ExpectedView

  /// The time that silence has to last to be taken for silence.
  private static let silence = 200
  /// The longest that anything is waited for.
  private static let patience = 30_000
  /// The time for which an attempt to connect goes unanswered to be taken for lost.
  private static let connectPatience = 1_500

  /// Looks at it once.
  func look() -> View {
    let start = ContinuousClock.now
    var view = View()
    view.ending = meet(&view.bytes)
    view.took = .now - start
    return view
  }

  private func meet(_ bytes: inout [UInt8]) -> ExpectedView.Ending? {
    guard let address = Self.address(of: host, port) else { return .nameless }
    let socket = Self.socket()
    guard socket >= 0 else { return nil }
    defer { close(socket) }
    switch Self.connect(socket, address, asked.ending == .unanswered) {
    case 0: break
    case ECONNREFUSED: return .refused
    case ETIMEDOUT: return .unanswered
    default: return nil
    }
    guard Self.send(opening, on: socket) else { return .reset }
    return read(socket, &bytes)
  }

  private func read(_ socket: Int32, _ bytes: inout [UInt8]) -> ExpectedView.Ending? {
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    var hasNudged = false
    while true {
      let isThere = has(bytes)
      if asked.endsAtNextByte, isThere, !hasNudged {
        hasNudged = true
        _ = Self.send([UInt8(ascii: "G")], on: socket)
      }
      let isSilent = asked.ending == .open && isThere
      guard Self.wait(for: POLLIN, on: socket, isSilent ? Self.silence : Self.patience) else {
        return .open
      }
      let count = recv(socket, &buffer, buffer.count, 0)
      if count > 0 {
        bytes += buffer[..<count]
      } else if count == 0 {
        return .finished
      } else if errno != EINTR {
        return errno == ECONNRESET ? .reset : nil
      }
    }
  }

  /// Tells whether everything that was asked for is there.
  private func has(_ bytes: [UInt8]) -> Bool {
    if asked.isHandshake { return bytes.count > View.messageType }
    guard asked.status != nil else { return bytes.count >= asked.bytes.count }
    guard let head = Data(bytes).range(of: Data("\r\n\r\n".utf8)) else { return false }
    return bytes.count - head.upperBound >= asked.bytes.count
  }

  private static func socket() -> Int32 {
    #if canImport(Darwin)
      Darwin.socket(AF_INET, SOCK_STREAM, 0)
    #elseif canImport(Glibc)
      Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    #elseif canImport(Musl)
      Musl.socket(AF_INET, SOCK_STREAM, 0)
    #endif
  }

  private static func address(of host: String, _ port: Int) -> sockaddr_in? {
    var hints = addrinfo()
    hints.ai_family = AF_INET
    var list: UnsafeMutablePointer<addrinfo>?
    guard getaddrinfo(host, String(port), &hints, &list) == 0 else { return nil }
    defer { freeaddrinfo(list) }
    guard let found = list?.pointee.ai_addr else { return nil }
    return found.withMemoryRebound(to: sockaddr_in.self, capacity: 1) { $0.pointee }
  }

  /// Returns the error of the attempt; 0 where there is a connection.
  private static func connect(_ socket: Int32, _ address: sockaddr_in, _ isShort: Bool) -> Int32 {
    let flags = fcntl(socket, F_GETFL)
    _ = fcntl(socket, F_SETFL, flags | O_NONBLOCK)
    defer { _ = fcntl(socket, F_SETFL, flags) }
    var address = address
    let size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let result = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address -> Int32 in
        #if canImport(Darwin)
          Darwin.connect(socket, address, size)
        #elseif canImport(Glibc)
          Glibc.connect(socket, address, size)
        #elseif canImport(Musl)
          Musl.connect(socket, address, size)
        #endif
      }
    }
    if result == 0 { return 0 }
    guard errno == EINPROGRESS else { return errno }
    guard wait(for: POLLOUT, on: socket, isShort ? connectPatience : patience) else {
      return ETIMEDOUT
    }
    var (code, length) = (Int32(0), socklen_t(4))
    getsockopt(socket, SOL_SOCKET, SO_ERROR, &code, &length)
    return code
  }

  private static func send(_ bytes: [UInt8], on socket: Int32) -> Bool {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { buffer -> Int in
        #if canImport(Darwin)
          Darwin.send(socket, buffer.baseAddress, buffer.count, 0)
        #elseif canImport(Glibc)
          Glibc.send(socket, buffer.baseAddress, buffer.count, Int32(MSG_NOSIGNAL))
        #elseif canImport(Musl)
          Musl.send(socket, buffer.baseAddress, buffer.count, Int32(MSG_NOSIGNAL))
        #endif
      }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return false }
      rest = rest.dropFirst(count)
    }
    return true
  }

  private static func wait(for event: Int32, on socket: Int32, _ milliseconds: Int) -> Bool {
    var query = pollfd(fd: socket, events: Int16(event), revents: 0)
    while true {
      let count = poll(&query, 1, Int32(milliseconds))
      if count < 0, errno == EINTR { continue }
      return count > 0
    }
  }
}

extension WireProbe.View {
  /// Tells whether it is what was asked for. What is sent in good form may have fields of the
  /// server's own, so of such an answer the status, the content and the end are compared.
  func matches(_ asked: ExpectedView) -> Bool {
    guard ending == asked.ending, took >= asked.pauses - .milliseconds(5) else { return false }
    if asked.isHandshake {
      // handshake(22), server_hello(2).
      return bytes.first == 22 && bytes.dropFirst(Self.messageType).first == 2
    }
    guard let status = asked.status else { return bytes.elementsEqual(asked.bytes) }
    let text = Array("HTTP/1.1 \(status)".utf8)
    // Behind this one a conversation follows, and no other answer.
    let answer = status == 101 ? bytes[...] : Self.withoutInterim(bytes[...])
    return answer.starts(with: text)
      && Self.unchunked(bytes).suffix(asked.bytes.count).elementsEqual(asked.bytes)
  }

  /// Returns the content of an answer in chunks as far as they read; of any other all of it (RFC
  /// 9112 §7.1).
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

  /// Returns the rest of an answer behind its interim ones (RFC 9110 §15.2).
  private static func withoutInterim(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    var rest = bytes
    while rest.starts(with: Array("HTTP/1.1 1".utf8)),
      let end = Data(rest.prefix(1024)).range(of: Data("\r\n\r\n".utf8))
    {
      rest = rest.dropFirst(end.upperBound)
    }
    return rest
  }

  /// Returns the same in a line.
  func text(as asked: ExpectedView) -> String {
    if matches(asked) { return asked.text }
    let count = bytes.isEmpty ? "" : "\(bytes.count) bytes, "
    return
      "\(Int(took.inMilliseconds)) ms, \(count)\(ending?.rawValue ?? "an error of the socket's")"
  }
}
