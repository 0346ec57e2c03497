public import Foundation
public import WindTunnelNetworkLayer

/// An endpoint whose calls may wait in an outbox, and the format of a batch of calls.
///
/// ```swift
/// let telemetry = OutboxEndpoint(Endpoint(.post, "/telemetry"), waitsFor: .unrestricted)
/// ```
public struct OutboxEndpoint: Sendable {
  /// The endpoint that each batch calls.
  ///
  /// The content of a call is the batch. The template is the name under which calls are stored on
  /// disk.
  public var endpoint: Endpoint
  /// The format of a batch's content.
  public var format: BatchFormat
  /// The maximum number of calls in a batch.
  public var mostCalls: Int
  /// The maximum number of bytes of bodies in a batch. A longer call is sent alone.
  public var mostBytes: Int
  /// The networks that a batch waits for.
  public var waitsFor: NetworkNeed

  /// Creates an endpoint of an outbox; by default a batch has up to 100 calls and 256 KB.
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

/// The format of a batch: how the bodies of several calls are combined into one content.
public struct BatchFormat: Sendable {
  /// The value of `Content-Type`; `nil` to send none.
  public var contentType: String?
  /// Returns the reason why a body cannot be in a batch with this format; `nil` if it can.
  public var objection: @Sendable (Data) -> String?
  /// Joins bodies. Equal bodies must give equal contents.
  public var join: @Sendable ([Data]) -> Data

  /// Creates a format from its parts.
  public init(
    contentType: String?,
    objection: @escaping @Sendable (Data) -> String? = { _ in nil },
    join: @escaping @Sendable ([Data]) -> Data
  ) {
    (self.contentType, self.objection, self.join) = (contentType, objection, join)
  }

  /// One body per line, each with a line feed. A body that contains a line feed is refused.
  public static let ndjson = BatchFormat(
    contentType: "application/x-ndjson",
    objection: { body in
      body.contains(UInt8(ascii: "\n"))
        ? "it contains a line feed, but a batch has one body per line; encode it in one line" : nil
    },
    join: { bodies in bodies.reduce(into: Data()) { $0 += $1 + Data("\n".utf8) } }
  )

  /// A JSON array with each body as an element.
  public static let jsonArray = BatchFormat(contentType: "application/json") { bodies in
    Data("[".utf8) + bodies.joined(separator: Data(",".utf8)) + Data("]".utf8)
  }

  /// Returns the format that is the body itself, for endpoints with one call per batch.
  public static func single(contentType: String?) -> BatchFormat {
    BatchFormat(contentType: contentType) { $0.reduce(into: Data()) { $0 += $1 } }
  }
}

/// The limits of an outbox.
public struct OutboxLimits: Sendable, Hashable {
  /// The reactions to a new call when the outbox is full.
  public enum Overflow: Sendable, Hashable {
    /// The oldest calls that are not in a batch yet are dropped.
    case dropsOldest
    /// The new call is refused with ``OutboxError/full(_:)``.
    case refusesNew
  }

  /// The maximum number of waiting calls.
  public var mostCalls: Int
  /// The maximum number of bytes of the waiting calls.
  public var mostBytes: Int
  /// The maximum number of bytes of one call's body.
  public var mostCallBytes: Int
  /// The age at which a call is dropped, measured independently of the system clock.
  ///
  /// Between two starts of the app, at most a day counts.
  public var longestAge: Duration
  /// The reaction to a new call when the outbox is full.
  public var overflow: Overflow
  /// The maximum number of bytes of dead letters. Beyond it, the older half is dropped.
  public var mostDeadLetterBytes: Int
  /// The delays after a batch that cannot be delivered yet.
  public var backoff: Backoff

  /// Creates limits; by default 100,000 calls, 50 MB, 1 MB per call, a week, and delays of 1 s to 5
  /// min.
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

  /// The maximum size of a body, and of all dead letters, that a file of an outbox can contain.
  private static let fileBytes = 1 << 28

  /// The limits as far as an outbox supports them, without negative values or files that are too
  /// long.
  var bounded: OutboxLimits {
    var limits = self
    limits.mostCalls = max(0, mostCalls)
    limits.mostBytes = max(0, mostBytes)
    limits.mostCallBytes = min(max(0, mostCallBytes), Self.fileBytes)
    limits.mostDeadLetterBytes = min(max(0, mostDeadLetterBytes), Self.fileBytes)
    return limits
  }
}
