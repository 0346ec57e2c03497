import Origins
import TestSupport

@testable import WindTunnel
@testable import WindTunnelServer

/// Secrets that are said on a WebSocket, in the places where handshakes, services and protocols
/// have them: none stands on the cassette in whatever spelling, and who says others is answered all
/// the same.
@Suite(.timeLimit(.minutes(5)), .stopsLoops) struct ConversationSecretsTests {
  private enum Said: Sendable {
    case text(String, in: [Int] = [])
    case bytes([UInt8])
  }

  /// A conversation that has secrets, all invented.
  private struct Planted: Sendable {
    var place: String
    var secrets: [String]
    var query = ""
    var fields: HeaderFields = [:]
    /// Lines of the handshake's answer.
    var answer = ""
    var compresses = false
    /// The client's messages, and what the server says to each.
    var says: [Said] = [.text("hello")]
    var hears: [Said] = [.text("welcome")]
    /// The reason of the client's end, which the server repeats.
    var bye = "bye"
  }

  // MARK: What is planted

  /// Draws secrets, others in each season.
  private struct Lot {
    let season: Int
    private(set) var drawn: [String] = []
    private var state: UInt64

    init(_ season: Int) {
      self.season = season
      state = UInt64(season) &* 7919 &+ 11
    }

    private mutating func next(_ count: Int) -> Int {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int(state >> 33) % count
    }

    mutating func word(
      _ count: Int = 32,
      of letters: String = "abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789"
    ) -> String {
      let letters = Array(letters)
      var word = ""
      for _ in 0..<count { word.append(letters[next(letters.count)]) }
      drawn.append(word)
      return word
    }

    mutating func digits(_ count: Int) -> String { word(count, of: "123456789") }

    mutating func hexadecimal(_ count: Int) -> String { word(count, of: "0123456789abcdef") }

    /// As people choose them.
    mutating func password() -> String {
      let words = ["Walnut", "Ferry", "Cobalt", "Heron", "Linden", "Quay", "Amber", "Tundra"]
      let password = "\(words[next(8)])-\(words[next(8)])-\(100_000 + next(900_000))"
      drawn.append(password)
      return password
    }

    /// A token that has a secret among its claims, too.
    mutating func webToken() -> String {
      let payload = #"{"sub":"\#(word(12))","exp":1700000000}"#
      return [#"{"alg":"HS256","typ":"JWT"}"#, payload].map(ConversationSecretsTests.base64url)
        .joined(separator: ".") + "." + word(43)
    }

    /// Fills a template, in which `<word 40>` is a secret, «…» text in base64url and “…” in base64.
    mutating func filled(_ template: String) -> String {
      var text = ""
      for part in template.split(separator: "<", omittingEmptySubsequences: false) {
        guard let end = part.firstIndex(of: ">") else {
          text += part
          continue
        }
        let slot = part[..<end].split(separator: " ")
        let count = slot.count == 2 ? Int(slot[1]) ?? 0 : 32
        switch slot[0] {
        case "digits": text += digits(count)
        case "hexadecimal": text += hexadecimal(count)
        case "key": text += word(count, of: "ABCDEFGHIJ234567")
        case "password": text += password()
        case "webToken": text += webToken()
        case "word": text += word(count)
        default: preconditionFailure("unknown slot \(slot[0])")
        }
        text += part[end...].dropFirst()
      }
      guard let open = text.firstIndex(where: { "«“".contains($0) }),
        let close = text.lastIndex(where: { "»”".contains($0) })
      else { return text }
      let inner = String(text[open..<close].dropFirst())
      let coded =
        text[open] == "«"
        ? ConversationSecretsTests.base64url(inner) : Data(inner.utf8).base64EncodedString()
      return "\(text[..<open])\(coded)\(text[close...].dropFirst())"
    }

    /// Returns what was drawn since this was asked the last time.
    mutating func take() -> [String] {
      defer { drawn = [] }
      return drawn
    }
  }

  private static func base64url(_ text: String) -> String {
    Data(text.utf8).base64EncodedString().replacing("=", with: "").replacing("+", with: "-")
      .replacing("/", with: "_")
  }

  private static func quoted(_ text: String) -> String {
    text.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? text
  }

  /// Returns all places; the same, with other secrets, for another season.
  private static func all(season: Int = 0) throws -> [Planted] {
    var lot = Lot(season)
    let fromTemplates = try ["protocol", "login", "envelope", "answer"].flatMap {
      try filled($0, &lot)
    }
    return fromTemplates + handshakes(&lot) + compounds(&lot) + echoes(&lot) + bytes(&lot)
  }

  private static func handshakes(_ lot: inout Lot) -> [Planted] {
    var all: [Planted] = []
    for name in ["token", "access_token", "api_key", "ticket", "sig"] {
      let query = "room=1&\(name)=\(lot.word())"
      all.append(Planted(place: "?\(name)=", secrets: lot.take(), query: query))
    }
    func add(_ place: String, _ fields: HeaderFields, answer: String = "") {
      all.append(Planted(place: place, secrets: lot.take(), fields: fields, answer: answer))
    }
    let chosen = lot.word(40)
    add(
      "subprotocol that is chosen",
      ["Sec-WebSocket-Protocol": "bearer, \(chosen)"],
      answer: "Sec-WebSocket-Protocol: \(chosen)\r\n"
    )
    add("Cookie", ["Cookie": "theme=dark; sid=\(lot.word())"])
    add("Authorization", ["Authorization": "Bearer \(lot.word(40))"])
    add("Set-Cookie", [:], answer: "Set-Cookie: session=\(lot.word()); Path=/\r\n")
    return all
  }

  /// The texts of one kind: the handshakes' subprotocols, a client's first messages as services have
  /// them, JSON in what protocols put around it, and answers.
  private static func filled(_ kind: String, _ lot: inout Lot) throws -> [Planted] {
    let rows =
      try TestData.rows("conversation-secrets.json", count: 41) as [(String, String, String)]
    return rows.filter { $0.0 == kind }.map { _, place, template in
      let text = lot.filled(template)
      var planted = Planted(place: place, secrets: lot.take())
      switch kind {
      case "protocol": planted.fields = ["Sec-WebSocket-Protocol": text]
      case "answer": planted.hears = [.text(text)]
      default: planted.says = [.text(text)]
      }
      return planted
    }
  }

  private static func compounds(_ lot: inout Lot) -> [Planted] {
    var all: [Planted] = []
    let text = #"{"type":"auth","password":"\#(lot.password())"}"#
    let lengths = [20, 15, text.utf8.count - 35]
    all.append(Planted(place: "fragments", secrets: lot.take(), says: [.text(text, in: lengths)]))
    if PerMessageDeflate.isSupported {
      let text = #"{"type":"auth","password":"\#(lot.password())"}"#
      all.append(
        Planted(place: "deflate", secrets: lot.take(), compresses: true, says: [.text(text)])
      )
    }
    return all
  }

  /// Secrets that have a name once, and are repeated without it.
  private static func echoes(_ lot: inout Lot) -> [Planted] {
    var all: [Planted] = []
    func add(_ place: String, bye: String = "bye", _ echo: (String) -> Said) {
      let secret = lot.drawn[0]
      all.append(
        Planted(
          place: place,
          secrets: lot.take(),
          says: [.text("hello"), .text(#"{"password":"\#(secret)"}"#)],
          hears: [echo(secret), .text("ok")],
          bye: bye
        )
      )
    }
    _ = lot.password()
    add("an earlier message") { .text("you are \($0)") }
    add("the close reason", bye: "gave \(lot.word()) up") { _ in .text("welcome") }
    _ = lot.password()
    add("percent-encoded") { .text("at /a?b=\(quoted($0))") }
    _ = lot.word()
    add("base64") { .text(#"{"blob":"\#(Data("ada|\($0)|x".utf8).base64EncodedString())"}"#) }
    _ = lot.word()
    add("a text in bytes") { .bytes(Array("known \($0)".utf8)) }
    _ = lot.word()
    add("Protocol Buffers") { .bytes([0x08, 0x01, 0x12, UInt8($0.utf8.count)] + Array($0.utf8)) }
    return all
  }

  private static func bytes(_ lot: inout Lot) -> [Planted] {
    var all: [Planted] = []
    func add(_ place: String, _ parts: [UInt8]...) {
      let bytes = Array(parts.joined())
      all.append(Planted(place: place, secrets: lot.take(), says: [.bytes(bytes)]))
    }
    add("JSON in bytes", Array(#"{"type":"auth","token":"\#(lot.word())"}"#.utf8))
    let password = lot.password().utf8
    let head = [0xA0 | UInt8(password.count)]
    add("MessagePack", [0x81, 0xA8], Array("password".utf8), head, Array(password))
    let token = lot.word(22).utf8
    add("CBOR", [0xA1, 0x65], Array("token".utf8), [0x60 | UInt8(token.count)], Array(token))
    // MQTT 3.1.1 §3.1: the protocol, its level, flags, seconds; the client, its user, the password.
    var packet: [UInt8] = [0, 4, 0x4D, 0x51, 0x54, 0x54, 4, 0xC2, 0, 60]
    for field in ["client", "ada", lot.password()] {
      packet.append(contentsOf: [0, UInt8(field.utf8.count)])
      packet.append(contentsOf: field.utf8)
    }
    add("MQTT", [0x10, UInt8(packet.count)], packet)
    return all
  }

  // MARK: Who says it

  /// One connection to the origin, on the loop's thread.
  private final class Conversation {
    private var reader: WebSocketReader
    private let writer: WebSocketWriter
    private var hears: ArraySlice<Said>

    init(_ planted: Planted) {
      let terms = planted.compresses ? PerMessageDeflate() : nil
      reader = WebSocketReader(from: .client, terms)
      writer = WebSocketWriter(as: .server, terms)
      hears = planted.hears[...]
    }

    func read(_ bytes: [UInt8], on channel: Channel) {
      for event in reader.events(of: bytes) {
        switch event {
        case .message:
          switch hears.popFirst() {
          case .text(let text, let lengths)?:
            channel.write(Array(writer.message(Data(text.utf8), isText: true, fragments: lengths)))
          case .bytes(let bytes)?:
            channel.write(Array(writer.message(Data(bytes), isText: false)))
          case nil: break
          }
        case .close(let close):
          channel.write(Array(writer.frame(close.frame)))
          channel.close()
        case .ping, .pong: break
        }
      }
    }
  }

  /// Serves each of some conversations at a path of its own, by its number.
  private static func serve(_ all: [Planted]) async throws -> SocketAddress {
    try await EventLoop.serve { script in
      var head = ""
      var conversation: Conversation?
      script.received = { channel, bytes in
        if let conversation { return conversation.read(bytes, on: channel) }
        head += String(decoding: bytes, as: UTF8.self)
        guard head.hasSuffix("\r\n\r\n") else { return }
        guard let number = Int(head.dropFirst("GET /n".count).prefix { $0.isNumber }) else {
          Issue.record("\(head)")
          return channel.close()
        }
        let planted = all[number]
        conversation = Conversation(planted)
        let deflate =
          planted.compresses ? "Sec-WebSocket-Extensions: permessage-deflate\r\n" : ""
        let answer =
          "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
          + "Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n"
        channel.write(Array((answer + planted.answer + deflate + "\r\n").utf8))
      }
      script.ended = { $0.close() }
    }
  }

  /// Holds a conversation with a server, and tells whether each message is answered.
  private static func hold(_ planted: Planted, _ number: Int, with server: ReplayServer)
    async throws -> Bool
  {
    var fields = planted.fields
    if planted.compresses { fields.append("Sec-WebSocket-Extensions", "permessage-deflate") }
    let query = planted.query.isEmpty ? "" : "?\(planted.query)"
    let peer = try await WebSocketPeer(
      try server.client(),
      "/n\(number)\(query)",
      fields,
      deflate: planted.compresses ? PerMessageDeflate() : nil
    )
    var isAnswered = true
    for said in planted.says {
      switch said {
      case .text(let text, let lengths): await peer.say(text, in: lengths)
      case .bytes(let bytes): await peer.say(bytes)
      }
      switch await peer.hear(1).first {
      case .text?, .binary?: break
      default: isAnswered = false
      }
    }
    await peer.close(4000, planted.bye)
    _ = await peer.hearAll()
    return isAnswered
  }

  /// Records conversations one after the other.
  private static func recording(_ all: [Planted]) async throws -> (Cassette, leftOut: [String]) {
    let address = try await serve(all)
    let deck = Deck(Cassette(), mode: .rewrite)
    var options = try ReplayServer.Options.before(RequestURL("http://127.0.0.1:\(address.port)"))
    options.recordedOrigin = "http://api.example.test"
    try await ReplayServer.serving(deck, options) { server async throws in
      for (number, planted) in all.enumerated() {
        #expect(try await hold(planted, number, with: server), "\(planted.place)")
      }
    }
    return deck.recorded()
  }

  /// Returns a secret as it may be spelled: in clear, percent-encoded, and in base64 at each of the
  /// three places in which a group may begin.
  private static func spellings(of secret: String) -> [String] {
    let packed = (0..<3).flatMap { shift -> [String] in
      let bytes = [UInt8](repeating: 0, count: shift) + Array(secret.utf8)
      let inner = String(
        Data(bytes).base64EncodedString().dropFirst(shift == 0 ? 0 : 4).dropLast(4)
      )
      return [inner, inner.replacing("+", with: "-").replacing("/", with: "_")]
    }
    // A few letters are there by chance.
    return [secret, quoted(secret)] + packed.filter { $0.utf8.count >= 8 }
  }

  @Test func `none of the secrets of a conversation stands on its cassette`() async throws {
    let all = try Self.all()
    #expect(all.reduce(0) { $0 + $1.secrets.count } >= 60)
    let (cassette, leftOut) = try await Self.recording(all)
    expectEqual(leftOut, [])
    expectEqual(cassette.interactions.count, all.count)
    let bodies = cassette.interactions.flatMap(\.messages).map { Array($0.body.data) }
    let texts = ([Array(cassette.data())] + bodies).map { String(decoding: $0, as: UTF8.self) }
    let leaks = all.flatMap { planted in
      planted.secrets.filter { secret in
        Self.spellings(of: secret).contains { spelling in
          texts.contains { $0.contains(spelling) }
        }
      }
      .map { "\(planted.place): \($0)" }
    }
    expectEqual(leaks, [])
  }

  @Test func `who says other secrets is answered as the first was`() async throws {
    let (cassette, _) = try await Self.recording(try Self.all())
    let deck = Deck(cassette, matcher: .pathAndQuery)
    try await ReplayServer.serving(deck) { server async throws in
      for (number, planted) in try Self.all(season: 1).enumerated() {
        #expect(try await Self.hold(planted, number, with: server), "\(planted.place)")
      }
    }
  }

  @Test func `bytes that cannot be written anew leave the conversation out, which is named`()
    async throws
  {
    var lot = Lot(2)
    let token = #"{"token":"\#(lot.word())"}"#
    let bytes = Planted(
      place: "bytes",
      secrets: lot.take(),
      says: [.bytes([0, 0, 0, 1] + Array(token.utf8))]
    )
    let (cassette, leftOut) = try await Self.recording([bytes])
    #expect(cassette.interactions.isEmpty)
    expectEqual(
      leftOut,
      ["GET http://api.example.test/n0: a WebSocket message that is not text has a credential"]
    )
  }
}
