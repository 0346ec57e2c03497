import Foundation

@testable import WindTunnelWire

/// A parser of either side: fed, then asked.
protocol Fed {
  associatedtype Head: Sendable & Hashable
  mutating func feed(_ bytes: UnsafeRawBufferPointer)
  mutating func feedEnd()
  mutating func next() -> MessageEvent<Head>?
}

extension MessageParser: Fed {}

extension Fed {
  mutating func feed(_ text: String) { feed(Array(text.utf8)) }
  mutating func feed(_ bytes: [UInt8]) { bytes.withUnsafeBytes { feed($0) } }

  /// The events up to now, with content that was cut put together again.
  mutating func events() -> [MessageEvent<Head>] {
    var events: [MessageEvent<Head>] = []
    while let event = next() { events.add(event) }
    return events
  }

  /// The events of bytes that come in pieces, asked for after each.
  mutating func events(of bytes: [UInt8], by step: Int, end: Bool = true) -> [MessageEvent<Head>] {
    var events: [MessageEvent<Head>] = []
    for start in stride(from: 0, to: bytes.count, by: step) {
      feed(Array(bytes[start..<min(start + step, bytes.count)]))
      for event in self.events() { events.add(event) }
    }
    if end {
      feedEnd()
      for event in self.events() { events.add(event) }
    }
    return events
  }
}

extension Array {
  mutating func add<Head>(_ event: MessageEvent<Head>) where Element == MessageEvent<Head> {
    if case .content(let more) = event, case .content(let before) = last {
      self[count - 1] = .content(before + more)
    } else {
      append(event)
    }
  }
}

extension MessageEvent {
  var failure: ProtocolError? { if case .failed(let error) = self { error } else { nil } }
  var headOrNil: Head? { if case .head(let head) = self { head } else { nil } }
  var contentText: String? {
    if case .content(let data) = self { String(bytes: data, encoding: .utf8) } else { nil }
  }
}
