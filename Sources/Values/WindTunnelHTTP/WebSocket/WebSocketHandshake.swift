internal import Foundation

/// The opening handshake of a WebSocket connection (RFC 6455 §4), as both sides see it.
package enum WebSocketHandshake {
  /// The reason for which a server refuses a handshake, and its answer.
  package struct Refusal: Error, Sendable, Hashable {
    /// The status and fields of the answer.
    package var head: ResponseHead
    /// The rule that is broken, with its paragraph.
    package var reason: String

    fileprivate init(_ reason: String, status: Int = 400, headers: HeaderFields = [:]) {
      (head, self.reason) = (ResponseHead(status: status, headers: headers), reason)
    }
  }

  /// The terms that a handshake has led to.
  package struct Terms: Sendable, Hashable {
    /// The subprotocol; `nil`: none.
    package var subprotocol: String?
    /// The terms of compression; `nil`: nothing is compressed.
    package var deflate: PerMessageDeflate?
  }

  /// The error of a client whose handshake was not answered as it has to be.
  package struct Failure: Error, Sendable, Hashable, CustomStringConvertible {
    /// The rule that is broken, with its paragraph.
    package let description: String

    fileprivate init(_ text: String) { description = text }
  }

  /// Tells whether a request asks for a WebSocket connection, rightly or not; in HTTP/1.0 nobody
  /// can (RFC 9110 §7.8).
  package static func isAsked(by request: Request, version: String = "HTTP/1.1") -> Bool {
    version != "HTTP/1.0" && request.headers.contains(token: "websocket", in: "Upgrade")
  }

  /// Returns the value with which a server proves that it has understood the key (§4.2.2, 5.4).
  package static func accept(_ key: String) -> String {
    Data(BodyDigest.sha1.hash(Data((key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11").utf8)))
      .base64EncodedString()
  }

  /// Returns the field values that a client's request has to have (§4.1).
  ///
  /// - Parameters:
  ///   - key: Sixteen random bytes, new for each connection.
  ///   - subprotocols: The subprotocols that the client speaks, the best first.
  ///   - compresses: Tells whether it offers to compress messages.
  /// - Returns: The fields, without those of any other request.
  package static func request(
    key: [UInt8],
    subprotocols: [String] = [],
    compresses: Bool = PerMessageDeflate.isSupported
  ) -> HeaderFields {
    var fields: HeaderFields = [
      "Upgrade": "websocket", "Connection": "Upgrade",
      "Sec-WebSocket-Key": Data(key).base64EncodedString(), "Sec-WebSocket-Version": "13",
    ]
    if !subprotocols.isEmpty {
      fields["Sec-WebSocket-Protocol"] = subprotocols.joined(separator: ", ")
    }
    if compresses {
      fields["Sec-WebSocket-Extensions"] = "\(PerMessageDeflate.name); client_max_window_bits"
    }
    return fields
  }

  /// Answers a client's request (§4.2).
  ///
  /// - Parameters:
  ///   - request: The request.
  ///   - version: The version of HTTP, such as `HTTP/1.1`.
  ///   - subprotocol: The choice among the offered subprotocols; `nil`: none of them.
  ///   - compresses: Tells whether the server is willing to compress messages.
  /// - Returns: The head of the answer, and the terms.
  /// - Throws: The refusal where the request breaks a rule.
  package static func answer(
    to request: Request,
    version: String = "HTTP/1.1",
    choosing subprotocol: ([String]) -> String? = { _ in nil },
    compresses: Bool = PerMessageDeflate.isSupported
  ) throws(Refusal) -> (head: ResponseHead, terms: Terms) {
    let key = try checkedKey(of: request, version)
    var fields: HeaderFields = [
      "Upgrade": "websocket", "Connection": "Upgrade", "Sec-WebSocket-Accept": accept(key),
    ]
    var terms = Terms()
    let offered = try subprotocols(in: request.headers)
    if !offered.isEmpty, let chosen = subprotocol(offered), offered.contains(chosen) {
      fields["Sec-WebSocket-Protocol"] = chosen
      terms.subprotocol = chosen
    }
    guard let offers = WebSocketExtension.list(request.headers.values("Sec-WebSocket-Extensions"))
    else { throw Refusal("Sec-WebSocket-Extensions cannot be read (RFC 6455 §9.1).") }
    // The first offer that can be met; others and other extensions are declined by saying nothing.
    if compresses, let deflate = offers.lazy.compactMap({ PerMessageDeflate(offer: $0) }).first {
      fields["Sec-WebSocket-Extensions"] = deflate.answer
      terms.deflate = deflate
    }
    return (ResponseHead(status: 101, headers: fields), terms)
  }

  /// Answers a client's request as a recorded server did: with its subprotocol and its compression,
  /// where the client offers them, and its other fields.
  ///
  /// - Throws: The refusal where the request breaks a rule, or asks for no WebSocket at all.
  package static func replayed(
    _ recorded: ResponseHead,
    to request: Request,
    version: String
  ) throws(Refusal) -> (head: ResponseHead, terms: Terms) {
    guard isAsked(by: request, version: version) else {
      throw Refusal(
        "What was recorded here is a WebSocket, and the request does not ask for one "
          + "(RFC 6455 §4.1).",
        status: 426,
        headers: ["Upgrade": "websocket", "Connection": "Upgrade"]
      )
    }
    let fields = recorded.headers
    let extensions = WebSocketExtension.list(fields.values("Sec-WebSocket-Extensions")) ?? []
    var (head, terms) = try answer(
      to: request,
      version: version,
      choosing: { _ in fields["Sec-WebSocket-Protocol"] },
      compresses: PerMessageDeflate.isSupported
        && extensions.contains { $0.name.equalsIgnoringASCIICase(PerMessageDeflate.name) }
    )
    for field in fields where !ownFields.contains(field.name.lowercased()) {
      head.headers.append(field.name, field.value)
    }
    return (head, terms)
  }

  /// The fields that belong to one handshake or to one connection.
  private static let ownFields: Set<String> = [
    "upgrade", "connection", "sec-websocket-accept", "sec-websocket-protocol",
    "sec-websocket-extensions", "sec-websocket-version", "content-length", "transfer-encoding",
  ]

  private static func checkedKey(of request: Request, _ version: String) throws(Refusal) -> String {
    let fields = request.headers
    guard request.method == "GET" else {
      throw Refusal(
        "A handshake is a GET (RFC 6455 §4.2.1).",
        status: 405,
        headers: ["Allow": "GET"]
      )
    }
    guard version == "HTTP/1.1" else {
      throw Refusal("A handshake is of HTTP/1.1 (RFC 6455 §4.2.1), not of \(version).")
    }
    guard fields.values("Host").count == 1 else {
      throw Refusal("A handshake has one Host (RFC 6455 §4.2.1).")
    }
    guard fields.contains(token: "websocket", in: "Upgrade") else {
      throw Refusal("Upgrade does not say websocket (RFC 6455 §4.2.1).")
    }
    guard fields.contains(token: "Upgrade", in: "Connection") else {
      throw Refusal("Connection does not say Upgrade (RFC 6455 §4.2.1).")
    }
    guard fields.values("Sec-WebSocket-Version").count == 1, fields["Sec-WebSocket-Version"] == "13"
    else {
      throw Refusal(
        "Sec-WebSocket-Version is not 13 (RFC 6455 §4.2.2).",
        status: 426,
        headers: ["Upgrade": "websocket", "Connection": "Upgrade", "Sec-WebSocket-Version": "13"]
      )
    }
    let keys = fields.values("Sec-WebSocket-Key")
    guard keys.count == 1, let key = keys.first,
      Data(base64Encoded: key)?.count == 16
    else { throw Refusal("Sec-WebSocket-Key is not base64 of sixteen bytes (RFC 6455 §4.2.1).") }
    return key
  }

  private static func subprotocols(in fields: HeaderFields) throws(Refusal) -> [String] {
    let names = fields.elements("Sec-WebSocket-Protocol").map(String.init)
    guard names.isEmpty == (fields["Sec-WebSocket-Protocol"] == nil),
      names.allSatisfy(\.isHTTPToken),
      Set(names).count == names.count
    else {
      throw Refusal("Sec-WebSocket-Protocol is no list of different tokens (RFC 6455 §11.3.4).")
    }
    return names
  }

  /// Holds a server's answer against the request (§4.1).
  ///
  /// - Returns: The terms.
  /// - Throws: The rule that is broken, for which the client fails the connection.
  package static func terms(
    of head: ResponseHead,
    answering request: HeaderFields
  ) throws(Failure) -> Terms {
    let fields = head.headers
    guard head.status == 101 else {
      throw Failure("The server answered \(head.status) in place of 101 (RFC 6455 §4.1).")
    }
    let upgrades = fields.values("Upgrade")
    guard upgrades.count == 1, upgrades[0].equalsIgnoringASCIICase("websocket") else {
      throw Failure("The answer's Upgrade is not websocket (RFC 6455 §4.1).")
    }
    guard fields.contains(token: "Upgrade", in: "Connection") else {
      throw Failure("The answer's Connection does not say Upgrade (RFC 6455 §4.1).")
    }
    let proofs = fields.values("Sec-WebSocket-Accept")
    // Texts are equal that are not the same bytes.
    guard proofs.count == 1,
      proofs[0].utf8.elementsEqual(accept(request["Sec-WebSocket-Key"] ?? "").utf8)
    else { throw Failure("Sec-WebSocket-Accept does not prove the key (RFC 6455 §4.1).") }
    var terms = Terms()
    let chosen = fields.values("Sec-WebSocket-Protocol")
    if let name = chosen.first {
      let offered = request.elements("Sec-WebSocket-Protocol")
      guard chosen.count == 1, name.isHTTPToken, offered.contains(name[...]) else {
        throw Failure("The answer has a subprotocol that nobody asked for (RFC 6455 §4.1).")
      }
      terms.subprotocol = name
    }
    let extensions = fields.values("Sec-WebSocket-Extensions")
    guard extensions.count <= 1, let agreed = WebSocketExtension.list(extensions) else {
      throw Failure(
        "The answer's Sec-WebSocket-Extensions cannot be read, or comes twice (RFC 6455 §11.3.2)."
      )
    }
    let offered = WebSocketExtension.list(request.values("Sec-WebSocket-Extensions")) ?? []
    for one in agreed {
      guard offered.contains(where: { $0.name.equalsIgnoringASCIICase(one.name) }) else {
        throw Failure(
          "The answer has the extension \(one.name), which nobody asked for (RFC 6455 §4.1)."
        )
      }
      guard terms.deflate == nil, let deflate = PerMessageDeflate(answer: one, to: offered) else {
        throw Failure(
          "The answer's terms of \(one.name) are not those of any offer (RFC 7692 §7.1)."
        )
      }
      terms.deflate = deflate
    }
    return terms
  }
}
