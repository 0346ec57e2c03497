internal import Foundation

/// The close reason that one side of a WebSocket connection sends (RFC 6455 §5.5.1).
package struct WebSocketClose: Sendable, Hashable {
  /// The code of the reason (§7.4); `nil` if the frame has no content.
  package var code: UInt16?
  /// The reason as text, which is not meant to be parsed.
  package var reason: String

  /// The code, or 1005 if there is none (§7.4.1).
  package var number: Int { code.map { Int($0) } ?? 1005 }

  /// Creates a close reason from a code and a text.
  package init(_ code: UInt16?, _ reason: String = "") { (self.code, self.reason) = (code, reason) }

  /// The codes with a defined meaning (§7.4.1, and the registry of IANA).
  package static let goingAway: UInt16 = 1001
  package static let protocolError: UInt16 = 1002
  package static let invalidPayload: UInt16 = 1007
  package static let messageTooBig: UInt16 = 1009

  /// Whether a frame may contain a code: a registered code, or one in the range of libraries and
  /// apps.
  ///
  /// The codes for "no code", "no close frame" and "no TLS" are never sent (§7.4.1, §7.4.2).
  package static func mayBeSent(_ code: UInt16) -> Bool {
    1000...1003 ~= code || 1007...1014 ~= code || 3000...4999 ~= code
  }

  /// The close frame. Without a code, it contains no text either.
  package var frame: WebSocketFrame {
    var payload = Data()
    if let code {
      payload.append(number: code)
      // The text is truncated at a scalar boundary.
      for scalar in reason.unicodeScalars {
        let bytes = String(scalar).utf8
        if payload.count + bytes.count > WebSocketFrame.controlBytesMax { break }
        payload.append(contentsOf: bytes)
      }
    }
    return WebSocketFrame(.close, payload)
  }

  /// Parses a frame's content.
  init(_ payload: Data) throws(WebSocketFailure) {
    if payload.isEmpty {
      self.init(nil)
      return
    }
    guard payload.count >= 2 else {
      throw .protocolError("A close frame has one byte; a code has two (RFC 6455 §5.5.1).")
    }
    let code = payload.prefix(2).reduce(0) { $0 << 8 | UInt16($1) }
    guard Self.mayBeSent(code) else {
      throw .protocolError("The close code \(code) may not be sent (RFC 6455 §7.4).")
    }
    guard let reason = String(utf8: payload.dropFirst(2)) else {
      throw .invalidText("A close frame's reason is not UTF-8 (RFC 6455 §5.5.1).")
    }
    self.init(code, reason)
  }
}

/// The failure of a WebSocket connection, caused by a protocol violation of the peer.
package struct WebSocketFailure: Error, Sendable, Hashable, CustomStringConvertible {
  /// The code with which the connection is closed (RFC 6455 §7.1.7).
  package let code: UInt16
  /// The violation, and the section that forbids it.
  package let description: String

  static func protocolError(_ text: String) -> WebSocketFailure {
    WebSocketFailure(code: WebSocketClose.protocolError, description: text)
  }

  static func invalidText(_ text: String) -> WebSocketFailure {
    WebSocketFailure(code: WebSocketClose.invalidPayload, description: text)
  }

  static func tooBig(_ text: String) -> WebSocketFailure {
    WebSocketFailure(code: WebSocketClose.messageTooBig, description: text)
  }
}
