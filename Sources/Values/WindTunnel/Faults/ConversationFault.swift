/// A failure of a server within a WebSocket conversation (RFC 6455).
///
/// The server's messages are counted from 1, and a message that is sent again counts again. These
/// faults only occur on the wire, in played and in live conversations. A live conversation must be
/// readable, so it must not be in a tunnel that is not decrypted.
public enum ConversationFault: Sendable, Hashable {
  /// The handshake's response is a 101 that breaks a rule (§4.1), so a client must fail the
  /// connection.
  case handshake(Handshake)
  /// The conversation ends before one of the server's messages.
  case end(ConnectionEnd, before: Int)
  /// One of the server's messages has a forbidden or rare form.
  case form(Form, of: Int)
  /// One of the server's messages is repeated, late or missing.
  case message(Change, Int)
  /// The server does not reply to control frames as required (§5.5).
  case control(Control)

  /// The ways in which a handshake's response breaks a rule.
  public enum Handshake: String, Sendable, Hashable, CaseIterable {
    /// `Sec-WebSocket-Accept` is computed from another key (§4.2.2).
    case wrongAccept
    /// A subprotocol that the client did not request (§4.1).
    case unaskedSubprotocol
    /// An extension that the client did not request (§4.1).
    case unaskedExtension
  }

  /// The ways in which a conversation ends.
  public enum ConnectionEnd: Sendable, Hashable {
    /// The connection is reset (RST).
    case reset
    /// The connection is closed (FIN) without a close frame.
    case close
    /// Nothing is sent any more, and the connection stays open.
    case stall
    /// A close frame with a code, which may be one that is forbidden in a frame (§7.4.1).
    case frame(Int)
    /// A close frame whose content has one byte (§5.5.1).
    case oneByteFrame
  }

  /// The forms of a message.
  public enum Form: String, Sendable, Hashable, CaseIterable {
    /// A frame is masked, which is forbidden for a server (§5.1).
    case masked
    /// A reserved bit is set that was not negotiated (§5.2).
    case reservedBit
    /// The opcode is 3, which has no meaning (§5.2).
    case reservedOpcode
    /// A length has more bytes than it needs (§5.2).
    case longLength
    /// A frame declares 2⁶³ − 1 bytes, and only the message is sent.
    case hugeLength
    /// A ping in two frames is sent before the message (§5.5).
    case fragmentedPing
    /// A byte that is invalid in UTF-8 ends a text (§8.1).
    case invalidUTF8
    /// Each byte has its own frame, so that scalars are split: rare, and allowed (§5.4).
    case fragmented
  }

  /// The changes to the delivery of a message.
  public enum Change: Sendable, Hashable {
    /// The message is sent twice.
    case duplicate
    /// The message is not sent.
    case drop
    /// The next message is sent first.
    case swap
    /// The message and all later ones are delayed.
    case late(Duration)
  }

  /// The ways in which control frames are handled.
  public enum Control: Sendable, Hashable {
    /// Pings receive no pong (§5.5.2).
    case noPong
    /// Each pong is delayed.
    case latePong(Duration)
    /// Pings are sent before the first message, ``pingCount`` of them.
    case pingFlood
    /// The client's close frame receives no reply, and the connection stays open (§5.5.1).
    case unansweredClose

    /// The number of pings in a flood.
    public static let pingCount = 1000
  }

  // MARK: The effect on an exchange

  /// Whether the client does not receive the conversation as it was recorded.
  ///
  /// A client that connects again then receives the same recording.
  var replacesOrCuts: Bool {
    switch self {
    case .handshake, .end, .message(.drop, _): true
    case .form(let form, _): form != .fragmented
    case .message, .control: false
    }
  }

  /// Whether messages are changed or missing.
  var changesMessages: Bool {
    switch self {
    case .form, .message: true
    case .handshake, .end, .control: false
    }
  }

  /// The number of the message that the fault affects; `nil` if it affects none.
  var message: Int? {
    switch self {
    case .end(_, let number), .form(_, let number), .message(_, let number): number
    case .handshake, .control: nil
    }
  }

  // MARK: In the catalogue

  private static func kind(_ name: String, _ fault: ConversationFault) -> FaultKind {
    FaultKind("websocket-\(name)", .http, .conversation(fault))
  }

  /// Every kind of fault, in the order of a conversation.
  static let kinds: [FaultKind] =
    Handshake.allCases.map { kind(FaultKind.dashed($0.rawValue), .handshake($0)) } + [
      kind("reset", .end(.reset, before: 2)), kind("close", .end(.close, before: 2)),
      kind("stall", .end(.stall, before: 2)), kind("close-frame", .end(.frame(1011), before: 2)),
      kind("reserved-close-code", .end(.frame(1005), before: 2)),
      kind("one-byte-close", .end(.oneByteFrame, before: 2)),
    ] + Form.allCases.map { kind(FaultKind.dashed($0.rawValue), .form($0, of: 2)) } + [
      kind("duplicate", .message(.duplicate, 2)), kind("drop", .message(.drop, 2)),
      kind("swap", .message(.swap, 1)), kind("late", .message(.late(.milliseconds(50)), 2)),
      kind("no-pong", .control(.noPong)), kind("late-pong", .control(.latePong(.milliseconds(50)))),
      kind("ping-flood", .control(.pingFlood)),
      kind("unanswered-close", .control(.unansweredClose)),
    ]
}

// MARK: In a scenario's file

// { "webSocket": "wrongAccept" }                       and the other words of a handshake
// { "webSocket": "reset", "message": 2 }               "close", "stall", "oneByteClose"
// { "webSocket": "closeFrame", "code": 1011, "message": 2 }
// { "webSocket": "masked", "message": 2 }              and the other forms
// { "webSocket": "duplicate", "message": 2 }           "drop", "swap"
// { "webSocket": "late", "waitMilliseconds": 50, "message": 2 }
// { "webSocket": "noPong" }                            "pingFlood", "unansweredClose"
// { "webSocket": "latePong", "waitMilliseconds": 50 }
// The default message is the first.

extension ConversationFault {
  private static let codes = 0...65_535
  private static let messages = 1...(1 << 30)

  /// Reads the keys of a conversation's fault; `nil` if there are none.
  init?(reading object: inout ObjectReader) throws(FormatError) {
    // Only the names are needed to read the word, and the other values to create the fault.
    let words = Self.all(message: 1, code: 0, wait: .zero).map { ($0.word, $0) }
    let row = try object.row("webSocket", of: words)
    let message = try object.int("message", in: Self.messages)
    let code = try object.int("code", in: Self.codes)
    let wait = try object.double("waitMilliseconds", in: Fault.milliseconds)
    guard let (word, form) = row else {
      for (name, isThere) in [
        ("message", message != nil), ("code", code != nil), ("waitMilliseconds", wait != nil),
      ] where isThere {
        throw object.error(name, "this requires a \"webSocket\"")
      }
      return nil
    }
    func refuse(_ name: String, _ isThere: Bool, _ isWanted: Bool) throws(FormatError) {
      guard isThere != isWanted else { return }
      throw object.error(
        name,
        isWanted ? "\(word) requires it" : "this cannot be combined with \"\(word)\""
      )
    }
    if form.message == nil { try refuse("message", message != nil, false) }
    try refuse("code", code != nil, form.code != nil)
    try refuse("waitMilliseconds", wait != nil, form.wait != nil)
    let all = Self.all(
      message: message ?? 1,
      code: code ?? 0,
      wait: Duration(milliseconds: wait ?? 0)
    )
    guard let fault = all.first(where: { $0.word == word }) else { return nil }
    self = fault
  }

  /// Returns a fault for each word.
  private static func all(message: Int, code: Int, wait: Duration) -> [ConversationFault] {
    let endings: [ConnectionEnd] = [.reset, .close, .stall, .frame(code), .oneByteFrame]
    let changes: [Change] = [.duplicate, .drop, .swap, .late(wait)]
    let controls: [Control] = [.noPong, .latePong(wait), .pingFlood, .unansweredClose]
    return Handshake.allCases.map { .handshake($0) }
      + endings.map { .end($0, before: message) } + Form.allCases.map { .form($0, of: message) }
      + changes.map { .message($0, message) } + controls.map { .control($0) }
  }

  private var code: Int? { if case .end(.frame(let code), _) = self { code } else { nil } }

  private var wait: Duration? {
    switch self {
    case .message(.late(let wait), _), .control(.latePong(let wait)): wait
    case .handshake, .end, .form, .message, .control: nil
    }
  }

  private var word: String {
    switch self {
    case .handshake(let handshake): handshake.rawValue
    case .form(let form, _): form.rawValue
    case .end(.frame, _): "closeFrame"
    case .end(.oneByteFrame, _): "oneByteClose"
    case .end(let ending, _): "\(ending)"
    case .message(.late, _): "late"
    case .message(let change, _): "\(change)"
    case .control(.latePong): "latePong"
    case .control(let control): "\(control)"
    }
  }

  var json: JSON {
    var members = [JSON.Member("webSocket", .text(word))]
    members.add("code", code.map { .number($0) })
    members.add("waitMilliseconds", wait)
    // The first message is the default.
    if let message, message != 1 { members.add("message", .number(message)) }
    return .object(members)
  }
}
