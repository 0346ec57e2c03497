public import Foundation
public import WindTunnelNetworkLayer

/// An endpoint whose calls may wait in an outbox, and the form in which several of them are sent at
/// once.
///
/// ```swift
/// let telemetry = OutboxEndpoint(Endpoint(.post, "/telemetry"), waitsFor: .unrestricted)
/// ```
public struct OutboxEndpoint: Sendable {
  /// The endpoint as each batch calls it; its content is the batch's, and its template is the name
  /// under which calls lie on the disk.
  public var endpoint: Endpoint
  /// The form of a batch's content.
  public var format: BatchFormat
  /// The most calls in a batch.
  public var mostCalls: Int
  /// The most bytes of bodies in a batch; a call that is longer is sent alone.
  public var mostBytes: Int
  /// The networks that a batch waits for.
  public var waitsFor: NetworkNeed

  /// Makes an endpoint of an outbox; by default a batch has up to 100 calls and 256 KB.
  public init(
    _ endpoint: Endpoint,
    format: BatchFormat = .ndjson,
    mostCalls: Int = 100,
    mostBytes: Int = 256_000,
    waitsFor: NetworkNeed = .any
  ) {
    self.endpoint = endpoint
    self.format = format
    self.mostCalls = max(1, mostCalls)
    self.mostBytes = max(1, mostBytes)
    self.waitsFor = waitsFor
  }

  /// The name of the endpoint.
  var name: String { endpoint.template }
}

/// The form of a batch: the bodies of several calls as one content.
public struct BatchFormat: Sendable {
  /// The value of `Content-Type`; `nil`: none is sent.
  public var contentType: String?
  /// Returns the reason why a body has no place in a batch of this form; `nil` where it has.
  public var objection: @Sendable (Data) -> String?
  /// Joins bodies; equal bodies have equal contents.
  public var join: @Sendable ([Data]) -> Data

  /// Makes a form of its parts.
  public init(
    contentType: String?,
    objection: @escaping @Sendable (Data) -> String? = { _ in nil },
    join: @escaping @Sendable ([Data]) -> Data
  ) {
    (self.contentType, self.objection, self.join) = (contentType, objection, join)
  }

  /// One body a line, each with its line feed. A body with a line feed of its own is refused.
  public static let ndjson = BatchFormat(
    contentType: "application/x-ndjson",
    objection: { body in
      body.contains(UInt8(ascii: "\n"))
        ? "it holds a line feed, and a batch is one body a line; encode it in one line" : nil
    },
    join: { bodies in bodies.reduce(into: Data()) { $0 += $1 + Data("\n".utf8) } }
  )

  /// A JSON array, of which each body is an element.
  public static let jsonArray = BatchFormat(contentType: "application/json") { bodies in
    Data("[".utf8) + bodies.joined(separator: Data(",".utf8)) + Data("]".utf8)
  }

  /// Returns the form that is the body itself, for endpoints whose batches hold one call.
  public static func single(contentType: String?) -> BatchFormat {
    BatchFormat(contentType: contentType) { $0.reduce(into: Data()) { $0 += $1 } }
  }
}

/// The bounds of an outbox.
public struct OutboxLimits: Sendable, Hashable {
  /// The things that happen to a call for which there is no room.
  public enum Overflow: Sendable, Hashable {
    /// The oldest calls that are in no batch yet fall out.
    case dropsOldest
    /// The new call is refused with ``OutboxError/full(_:)``.
    case refusesNew
  }

  /// The most calls that wait.
  public var mostCalls: Int
  /// The most bytes of the calls that wait.
  public var mostBytes: Int
  /// The most bytes of one call's body.
  public var mostCallBytes: Int
  /// The age at which a call falls out, by a time that no clock sets back. From one start of the
  /// app to the next at most a day of it passes.
  public var longestAge: Duration
  /// The thing that happens to a call for which there is no room.
  public var overflow: Overflow
  /// The most bytes of dead letters; the older half falls out beyond that.
  public var mostDeadLetterBytes: Int
  /// The waits after a batch that could not be delivered now.
  public var backoff: Backoff

  /// Makes bounds; by default 100,000 calls, 50 MB, 1 MB a call, a week, and waits of 1 s to 5 min.
  public init(
    mostCalls: Int = 100_000,
    mostBytes: Int = 50_000_000,
    mostCallBytes: Int = 1_000_000,
    longestAge: Duration = .seconds(7 * 86_400),
    overflow: Overflow = .dropsOldest,
    mostDeadLetterBytes: Int = 5_000_000,
    backoff: Backoff = Backoff(base: .seconds(1), cap: .seconds(300))
  ) {
    (self.mostCalls, self.mostBytes, self.mostCallBytes) = (mostCalls, mostBytes, mostCallBytes)
    (self.longestAge, self.overflow) = (longestAge, overflow)
    (self.mostDeadLetterBytes, self.backoff) = (mostDeadLetterBytes, backoff)
  }

  /// The longest body and the most bytes of dead letters that a file of an outbox has room for.
  private static let fileBytes = 1 << 28

  /// The bounds with which an outbox can count: none is negative, and no file grows too long.
  var bounded: OutboxLimits {
    var limits = self
    limits.mostCalls = max(0, mostCalls)
    limits.mostBytes = max(0, mostBytes)
    limits.mostCallBytes = min(max(0, mostCallBytes), Self.fileBytes)
    limits.mostDeadLetterBytes = min(max(0, mostDeadLetterBytes), Self.fileBytes)
    return limits
  }
}
