package import Foundation
internal import WindTunnelCore
package import WindTunnelHTTP
package import WindTunnelSymptoms

/// A head that a ``MessageParser`` reads: a request's or an answer's.
package protocol MessageHead: Sendable, Hashable {
  /// The first line while the fields are not yet there.
  associatedtype StartLine
  /// The memory of what came before, and of what was asked, where it decides how a head is read.
  associatedtype History

  static var side: FieldSection.Side { get }
  /// The limits where none are given.
  static var usualLimits: Limits { get }
  /// Before the first message.
  static var noHistory: History { get }
  /// Tells whether a message may come without being expected.
  static var isUnasked: Bool { get }
  /// The connection has ended within a head.
  static var brokenHead: ProtocolError { get }

  /// Reads the start line if it is whole.
  static func readStartLine(
    _ input: inout ByteQueue,
    ended: Bool,
    _ history: inout History,
    _ limits: Limits
  ) throws(ProtocolError) -> StartLine?

  /// Puts a head together once its fields are there.
  init(
    _ line: StartLine,
    _ section: FieldSection,
    _ history: inout History,
    _ limits: Limits
  ) throws(ProtocolError)

  var framing: Framing { get }
  /// Tells whether another head follows in the same message.
  var isInterim: Bool { get }
}

/// The next finding of a parser.
package enum MessageEvent<Head: Sendable & Hashable>: Sendable, Hashable {
  /// The start line and all fields. An interim answer (1xx) is followed by another head.
  case head(Head)
  /// Content without its framing, never empty; how it is cut says nothing.
  case content(Data)
  /// The fields after chunked content, where there were any.
  case trailers(HeaderFields)
  /// The message is whole.
  case end
  /// The message is none; nothing follows, and the connection is of no further use.
  case failed(ProtocolError)
}

/// A parser of messages, one after the other, from bytes that it is fed.
///
/// It has never heard of a socket. Feed what came, then ask for events until there is none. However
/// the bytes are cut, the events are the same but for how content is cut. Messages that came in
/// advance wait in the parser until somebody asks for them.
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

  /// Bytes that were fed and not read: the next request's, as long as one is being answered.
  /// Between answers there should be none: who sends any then answers what nobody asked.
  package var bufferedBytes: Int { input.count }

  package mutating func feed(_ bytes: UnsafeRawBufferPointer) {
    // Nobody will read it.
    if case .failed = state { return }
    input.append(bytes)
  }

  /// Says that nothing more will come; for some answers that is their regular end.
  package mutating func feedEnd() { ended = true }

  /// Takes what was not read, for a connection that from here on speaks something else
  /// (`CONNECT`, `Upgrade`).
  package mutating func takeRemainder() -> Data { input.take(atMost: input.count) }

  /// Returns the next event, or nothing until more bytes come.
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
      // The state lets go of the section first, so that its array is changed in place.
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

/// A parser of requests. Pipelined ones wait until they are asked for.
package typealias RequestParser = MessageParser<RequestHead>

extension MessageParser<RequestHead> {
  /// Tells whether no request has begun: the place where a client may leave without loss.
  package var isBetweenRequests: Bool {
    if case .line = state { input.isEmpty } else { false }
  }

  /// Tells whether nothing came since the last request, not even an empty line: these are counted.
  package var isFresh: Bool { isBetweenRequests && history.emptyLines == 0 }
}

/// A parser of answers. The end of an answer depends on its request: call ``expectAnswer(to:)``
/// with the method of each request that was sent.
typealias ResponseParser = MessageParser<ResponseStart>

extension MessageParser<ResponseStart> {
  /// Begins the next answer.
  mutating func expectAnswer(to method: String) {
    if case .failed = state { return }
    history = method
    state = .line
  }
}

/// The reason why a message cannot be read: the answer it deserves and a sentence for its sender.
package struct ProtocolError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The kinds of refusal, each with a status of its own.
  package enum Kind: Sendable, Hashable {
    case badMessage
    case contentTooLarge
    case targetTooLong
    case expectationFailed
    case fieldsTooLarge
    case notImplemented
    case versionNotSupported
    case tooSlow
    /// The peer ended the connection before the message was whole.
    case truncated(Truncation)
  }

  /// The place where a message broke off.
  package enum Truncation: Sendable, Hashable {
    /// Before a whole start line.
    case beforeHead
    /// The end is within the fields.
    case inHead
    /// Within content of an announced length.
    case inContent(received: Int, expected: Int)
    /// Within chunked content, or before its last chunk.
    case inChunks(received: Int)
    /// Within content that only the end of the connection delimits, which TLS did not confirm.
    case untilClose
  }

  package var kind: Kind
  /// The sentence about what was wrong, quotable as the content of the refusal.
  package var sentence: String

  package init(_ kind: Kind, _ sentence: String) { (self.kind, self.sentence) = (kind, sentence) }

  /// The framing or spelling is wrong.
  package static func bad(_ sentence: String) -> Self { Self(.badMessage, sentence) }

  /// The first line of a frequent mistake.
  static let tlsOnPlainPort = bad(
    "This is a TLS handshake, and this port speaks plain HTTP; ask it with http://."
  )

  /// The other way about.
  package static let plainOnTLSPort = bad(
    "This is plain HTTP, and this port speaks TLS; ask it with https://."
  )

  /// The status that a server answers with.
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

  /// The symptom for the client of a broken response.
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
