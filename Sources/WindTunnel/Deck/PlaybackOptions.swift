public import Foundation

/// The way in which a deck plays its cassette and records onto it.
public struct PlaybackOptions: Sendable {
  /// The parts that requests are compared by.
  public var matcher: Matcher
  /// The policy for a request whose recordings are used up; an interaction may have its own.
  public var then: EndPolicy
  /// The time that recorded answers take; their streamed bodies come in their pieces at any.
  public var pace: Pace
  /// The choice between playing, recording and both.
  public var mode: RecordMode
  /// The rules by which secrets are taken out of what is recorded, beside those that always are.
  public var redaction: RedactionRules
  /// The hosts that are left alone: their requests pass to them in every mode, without faults and
  /// unrecorded. `api.example.com` is every port of it, `api.example.com:8443` one.
  public var ignoring: [String]
  /// The hosts that are asked elsewhere where they are asked at all:
  /// `["api.example.com": "http://127.0.0.1:8000"]`. On the cassette they keep their names.
  public var mapping: [String: RequestURL]
  /// Tells whether requests come through a forward proxy: it passes on those to other hosts, and a
  /// failed connection is the proxy's, which answers 502.
  public var isProxied: Bool
  /// Tells whether requests to hosts that are nowhere on the cassette go there, with the scenario's
  /// faults and unrecorded; with an empty cassette those are faults over live traffic.
  public var passesOthers: Bool
  /// The clock by which dates in recorded answers are moved by as much as has gone by since
  /// (``Interaction/refreshingDates(at:)``). What is dealt does not depend on it.
  public var refreshingDates: (@Sendable () -> Date)?

  /// Makes options; each that is not given is as in most tests.
  public init(
    matcher: Matcher = .url,
    then: EndPolicy = .fail,
    pace: Pace = .immediately,
    mode: RecordMode = .none,
    redaction: RedactionRules = .standard,
    ignoring: [String] = [],
    mapping: [String: RequestURL] = [:],
    isProxied: Bool = false,
    passesOthers: Bool = false,
    refreshingDates: (@Sendable () -> Date)? = nil
  ) {
    (self.matcher, self.then, self.pace, self.mode) = (matcher, then, pace, mode)
    (self.redaction, self.ignoring, self.mapping) = (redaction, ignoring, mapping)
    (self.isProxied, self.passesOthers) = (isProxied, passesOthers)
    self.refreshingDates = refreshingDates
  }

  /// Tells whether hosts that are nowhere on the cassette are asked live; a proxy passes on what it
  /// is asked.
  var passesUnknownHosts: Bool { isProxied || passesOthers }
}
