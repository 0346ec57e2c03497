package import Foundation
package import WindTunnelHTTP
package import WindTunnelSymptoms

/// A head that a ``MessageParser`` reads: of a request or a response.
package protocol MessageHead: Sendable, Hashable {
  /// The first line before the fields are read.
  associatedtype StartLine
  /// The state of previous messages, or of the request, that affects how a head is read.
  associatedtype History

  static var side: FieldSection.Side { get }
  /// The limits if none are given.
  static var usualLimits: Limits { get }
  /// The state before the first message.
  static var noHistory: History { get }
  /// Whether a message may arrive without being expected.
  static var isUnasked: Bool { get }
  /// The error of a connection that ended within a head.
  static var brokenHead: ProtocolError { get }

  /// Reads the start line; `nil` if it is incomplete.
  static func readStartLine(
    _ input: inout ByteQueue,
    ended: Bool,
    _ history: inout History,
    _ limits: Limits
  ) throws(ProtocolError) -> StartLine?

  /// Creates a head from its start line and its fields.
  init(
    _ line: StartLine,
    _ section: FieldSection,
    _ history: inout History,
    _ limits: Limits
  ) throws(ProtocolError)

  var framing: Framing { get }
  /// Whether another head follows in the same message.
  var isInterim: Bool { get }
}

/// The next event of a parser.
package enum MessageEvent<Head: Sendable & Hashable>: Sendable, Hashable {
  /// The start line and all fields. An interim response (1xx) is followed by another head.
  case head(Head)
  /// Content without its framing, never empty. Its division into pieces has no meaning.
  case content(Data)
  /// The fields after chunked content, if there are any.
  case trailers(HeaderFields)
  /// The message is complete.
  case end
  /// The message is invalid; nothing follows, and the connection cannot be used further.
  case failed(ProtocolError)
}

/// A parser of consecutive messages, which is fed with bytes and independent of sockets.
///
/// The caller feeds received bytes and then reads events until there are none. The events are
/// independent of the division of the bytes, except for the division of content. Messages received
/// in advance wait in the parser.
package struct MessageParser<Head: MessageHead> {
  package typealias Event = MessageEvent<Head>

  private enum State {
    /// No message is expected at present.
    case idle
    case line
    case fields(Head.StartLine, FieldSection)
    case content(ContentReader)
    case failed
  }

  private var input = ByteQueue()
  private var state: State
  private var ended = false
  private var history = Head.noHistory
  private let limits: Limits

  package init(limits: Limits = Head.usualLimits) {
    self.limits = limits
    state = Head.isUnasked ? .line : .idle
  }

  /// The number of bytes that were fed but not read. On a server, they belong to the next request.
  ///
  /// On a client, there should be none between responses; otherwise the server responded without a
  /// request.
  package var bufferedBytes: Int { input.count }

  package mutating func feed(_ bytes: UnsafeRawBufferPointer) {
    // The bytes will not be read.
    if case .failed = state { return }
    input.append(bytes)
  }

  /// Marks the end of the input, which is the regular end of some responses.
  package mutating func feedEnd() { ended = true }

  /// Removes and returns the unread bytes, for a connection that switches to another protocol
  /// (`CONNECT`, `Upgrade`).
  package mutating func takeRemainder() -> Data { input.take(atMost: input.count) }

  /// Returns the next event; `nil` if more bytes are needed.
  package mutating func next() -> Event? {
    do throws(ProtocolError) {
      return try step()
    } catch {
      state = .failed
      input = ByteQueue()
      return .failed(error)
    }
  }

  private mutating func step() throws(ProtocolError) -> Event? {
    if case .line = state {
      guard let line = try Head.readStartLine(&input, ended: ended, &history, limits) else {
        return nil
      }
      state = .fields(line, FieldSection(limits, Head.side))
    }
    switch state {
    case .idle, .line, .failed: return nil
    case .fields(let line, var section):
      // The section is removed from the state first, so that its array is changed in place.
      state = .failed
      guard try section.read(&input) else {
        if ended { throw Head.brokenHead }
        state = .fields(line, section)
        return nil
      }
      let head = try Head(line, section, &history, limits)
      state = head.isInterim ? .line : .content(ContentReader(head.framing, limits, Head.side))
      return .head(head)
    case .content(var reader):
      state = .failed
      let piece = try reader.next(&input, ended: ended)
      state = .content(reader)
      switch piece {
      case nil: return nil
      case .content(let data): return .content(data)
      case .trailers(let fields): return .trailers(fields)
      case .end:
        state = Head.isUnasked ? .line : .idle
        return .end
      }
    }
  }
}

/// A parser of requests. Pipelined requests wait until they are read.
package typealias RequestParser = MessageParser<RequestHead>

extension MessageParser<RequestHead> {
  /// Whether no request has begun, so that a client may disconnect without loss.
  package var isBetweenRequests: Bool {
    if case .line = state { input.isEmpty } else { false }
  }

  /// Whether nothing was received since the last request, not even an empty line, which is counted.
  package var isFresh: Bool { isBetweenRequests && history.emptyLines == 0 }
}

/// A parser of responses. The end of a response depends on its request: call ``expectAnswer(to:)``
/// with the method of each request that was sent.
package typealias ResponseParser = MessageParser<ResponseStart>

extension MessageParser<ResponseStart> {
  /// Begins the next response.
  package mutating func expectAnswer(to method: String) {
    if case .failed = state { return }
    history = method
    state = .line
  }
}

/// The reason why a message cannot be read: the status for the response, and a sentence for the
/// sender.
package struct ProtocolError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The kinds of errors, each with its own status.
  package enum Kind: Sendable, Hashable {
    case badMessage
    case contentTooLarge
    case targetTooLong
    case expectationFailed
    case fieldsTooLarge
    case notImplemented
    case versionNotSupported
    case tooSlow
    /// The peer ended the connection before the message was complete.
    case truncated(Truncation)
  }

  /// The position at which a message was truncated.
  package enum Truncation: Sendable, Hashable {
    /// Before a complete start line.
    case beforeHead
    /// The parser is within the fields.
    case inHead
    /// Within content with an announced length.
    case inContent(received: Int, expected: Int)
    /// Within chunked content or before its last chunk.
    case inChunks(received: Int)
    /// Within content that is only delimited by the end of the connection, which TLS did not
    /// confirm.
    case untilClose
  }

  package var kind: Kind
  /// The sentence about the error, which can be the content of the response.
  package var sentence: String

  package init(_ kind: Kind, _ sentence: String) { (self.kind, self.sentence) = (kind, sentence) }

  /// Creates an error about framing or syntax.
  package static func bad(_ sentence: String) -> Self { Self(.badMessage, sentence) }

  /// TLS on a port for plain HTTP, a frequent mistake.
  static let tlsOnPlainPort = bad(
    "This is a TLS handshake, but this port uses plain HTTP; use http://."
  )

  /// Plain HTTP on a port for TLS.
  package static let plainOnTLSPort = bad(
    "This is plain HTTP, but this port uses TLS; use https://."
  )

  /// The status of the server's response.
  package var status: Int {
    switch kind {
    case .badMessage, .truncated: 400
    case .contentTooLarge: 413
    case .targetTooLong: 414
    case .expectationFailed: 417
    case .fieldsTooLarge: 431
    case .notImplemented: 501
    case .versionNotSupported: 505
    case .tooSlow: 408
    }
  }

  /// The symptom for the client that received a broken response.
  package var symptom: Symptom {
    switch kind {
    case .truncated(.beforeHead): .emptyAnswer
    case .truncated(.inHead): .connectionLost
    case .truncated: .truncated
    default: .malformedResponse
    }
  }

  package var description: String { "\(status): \(sentence)" }
}
