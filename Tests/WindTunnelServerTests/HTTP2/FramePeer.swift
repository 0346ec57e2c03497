import TestSupport

@testable import WindTunnelHTTP
@testable import WindTunnelWire

/// A codec with a client that writes and reads frames as words, and with a server that responds to
/// whole requests.
final class FramePeer {
  let codec: HTTP2Codec
  /// The heads that the server received.
  private(set) var heads: [RequestHead] = []
  /// The failures that the server received, with their status.
  private(set) var failures: [String] = []
  private(set) var output: [UInt8] = []
  private let time = Time()
  private var waiting: [Int: RequestHead] = [:]
  private var decoder = HPACKDecoder(listBytesMax: .max, fieldsMax: .max)

  private final class Time { var now = Moment(nanoseconds: 0) }

  /// Creates a connection on which both sides have sent their SETTINGS.
  init(
    _ bounds: HTTP2Limits = HTTP2Limits(),
    limits: Limits = .standard,
    isOpen: Bool = true,
    acceptsWebSockets: Bool = true
  ) {
    codec = HTTP2Codec(limits: limits, bounds: bounds, acceptsWebSockets: acceptsWebSockets) {
      [time] in time.now
    }
    guard isOpen else { return }
    feed(Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8))
    _ = exchange("SETTINGS; SETTINGS ack")
  }

  func pass(seconds: Int) { time.now = time.now + Int64(seconds) * 1_000_000_000 }

  /// Sends the frames that are spelled here, lets the server respond, and spells its frames.
  func exchange(_ words: String, room: Int = .max) -> String {
    send(words)
    return spell(room: room)
  }

  /// Sends frames, and lets the server respond.
  func send(_ words: String) {
    for command in words.components(separatedBy: "; ") {
      var words = command.split(separator: " ").map(String.init)[...]
      guard let verb = words.popFirst() else { continue }
      if verb == "RESPOND" {
        respond(on: Int(words[1]) ?? 0, Int(words[2]) ?? 0)
      } else if verb == "TAKE" {
        codec.giveBack(Int(words[2]) ?? 0, on: Int(words[1]) ?? 0)
      } else {
        feed(Self.frame(verb, Array(words)))
        // The next block has to begin with the smaller size (RFC 9113 §4.3.1).
        if words.contains("1=0") { decoder.setTableBytesMax(0) }
      }
    }
  }

  /// Spells the frames that the server has written.
  func spell(room: Int = .max) -> String {
    while codec.appendPending(upTo: room, to: &output), room == .max {}
    defer { output = [] }
    return frames(output).joined(separator: "; ")
  }

  // MARK: - The server

  func feed(_ bytes: [UInt8]) {
    bytes.withUnsafeBytes { codec.feed($0) }
    while let (stream, event) = codec.next() {
      switch event {
      case .head(let head):
        heads.append(head)
        waiting[stream] = head
      case .content, .trailers: break
      case .end: if waiting[stream]?.target != "/wait" { respond(on: stream, 5) }
      case .failed(let error):
        failures.append("\(stream) \(error.status)")
        waiting[stream] = nil
        if stream == 0 { codec.appendLast(.notice(400, "-"), on: nil, to: &output) }
        if [413, 414, 417, 431, 501].contains(error.status) {
          var encoder = ResponseEncoder(on: stream, by: codec)
          encoder.append(.notice(error.status, "-"), keepsAlive: true, to: &output)
        }
      }
    }
  }

  private func respond(on stream: Int, _ count: Int) {
    guard let head = waiting.removeValue(forKey: stream) else { return }
    var encoder = ResponseEncoder(head, on: stream, by: codec)
    if head.target == "/chat" {
      encoder.frame(101, length: 0, keepsAlive: true)
      return encoder.append(ResponseHead(status: 101, headers: ["Upgrade": "x"]), to: &output)
    }
    let isPlain = head.target != "/trailers"
    encoder.frame(200, length: isPlain ? count : nil, keepsAlive: true)
    encoder.append(ResponseHead(status: 200, headers: ["Connection": "x", "X": "1"]), to: &output)
    encoder.append(Data(repeating: 65, count: count), to: &output)
    encoder.appendEnd(isPlain ? [:] : ["X-Sum": "7"], to: &output)
  }

  // MARK: - The client

  static func frame(_ verb: String, _ words: [String]) -> [UInt8] {
    let numbers = words.map { Int($0) ?? 0 } + [0, 0]
    let isLast: UInt8 = ["end", "ack"].contains(words.last) ? 1 : 0
    let (type, flags, payload): (Int, UInt8, Data) =
      switch verb {
      case "DATA": (0, isLast, Data(repeating: 65, count: numbers[1]))
      case "PRIORITY": (2, 0, Data(hex: String(format: "%08x0f", numbers[1])))
      case "RST": (3, 0, Data(hex: String(format: "%08x", numbers[1])))
      case "SETTINGS": (4, isLast, Data(hex: words.map(setting).joined()))
      case "PING": (6, isLast, Data(1...8))
      case "WINDOW": (8, 0, Data(hex: String(format: "%08x", numbers[1])))
      case "RAW": (numbers[0], UInt8(numbers[1]), Data(hex: words.count > 3 ? words[3] : ""))
      default: (1, ["POST", "OPEN"].contains(verb) ? 4 : 5, block(verb, words.dropFirst()))
      }
    let stream = ["SETTINGS", "PING"].contains(verb) ? 0 : numbers[verb == "RAW" ? 2 : 0]
    let header = String(format: "%06x%02x%02x%08x", payload.count, type, Int(flags), stream)
    return Array(Data(hex: header) + payload)
  }

  private static func setting(_ word: String) -> String {
    let pair = word.split(separator: "=").map { Int($0) ?? 0 }
    return pair.count == 2 ? String(format: "%04x%08x", pair[0], pair[1]) : ""
  }

  /// The fields of a request, literally whatever they hold: the usual ones with those that are
  /// named, or for `FIELDS` and `OPEN` these alone.
  private static func block(_ verb: String, _ words: ArraySlice<String>) -> Data {
    var list: [(name: String, value: String)] =
      ["FIELDS", "OPEN"].contains(verb)
      ? [] : [(":method", verb), (":scheme", "http"), (":path", "/"), (":authority", "a.test")]
    for word in words {
      let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        .map { $0.removingPercentEncoding ?? "" }
      let place = verb == "FIELDS" ? nil : list.firstIndex { $0.name == parts[0] }
      if let place, parts[0].hasPrefix(":") { list.remove(at: place) }
      list.insert(
        (parts[0], parts[1]),
        at: parts[0].hasPrefix(":") ? place ?? list.count : list.count
      )
    }
    return list.reduce(into: Data()) { bytes, field in
      bytes.append(0)
      for text in [field.name, field.value] { bytes += [UInt8(text.utf8.count)] + text.utf8 }
    }
  }

  /// Spells whole frames; a whole response of 5 bytes is an `ANSWER`.
  func frames(_ bytes: [UInt8]) -> [String] {
    var words: [String] = []
    var place = 0
    while place < bytes.count {
      let header = bytes[place...].withUnsafeBufferPointer { HTTP2Frame($0) }
      place += 9 + header.length
      let payload = Array(bytes[place - header.length..<place])
      let stream = header.stream
      let end = header.flags.contains(.endStream) ? " end" : ""
      let ack = header.flags.contains(.ack) ? " ack" : ""
      switch header.type {
      case .data where words.last == "HEADERS \(stream) 200" && header.length == 5 && end != "":
        words[words.count - 1] = "ANSWER \(stream)"
      case .data: words.append("DATA \(stream) \(header.length)\(end)")
      case .headers:
        let fields = payload.withUnsafeBytes { try? decoder.decode($0) }
        words.append("HEADERS \(stream) \(fields?.first?.value ?? "invalid")\(end)")
      case .settings: words.append("SETTINGS\(ack)")
      case .ping: words.append("PING\(ack)")
      case .resetStream: words.append("RST_STREAM \(stream) \(Self.errorName(payload, at: 0))")
      case .windowUpdate: words.append("WINDOW_UPDATE \(stream) \(Self.number(payload, at: 0))")
      case .goAway:
        let last = Self.number(payload, at: 0)
        words.append("GOAWAY last=\(last) \(Self.errorName(payload, at: 4))")
      default: words.append("unknown")
      }
    }
    return words
  }

  private static func number(_ bytes: [UInt8], at offset: Int) -> Int {
    bytes.withUnsafeBufferPointer { $0.number(at: offset) }
  }

  /// The name of an error code as in RFC 9113 §7.
  private static func errorName(_ bytes: [UInt8], at offset: Int) -> String {
    let name = StreamError(rawValue: UInt32(number(bytes, at: offset))).map { "\($0)" } ?? "?"
    return name.reduce(into: "") { $0 += ($1.isUppercase ? "_" : "") + $1.uppercased() }
  }
}
