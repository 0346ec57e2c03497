internal import Foundation

/// The opening handshake of a WebSocket connection (RFC 6455 §4), for both sides.
package enum WebSocketHandshake {
  /// The rejection of a handshake by a server: the reason and the response.
  package struct Rejection: Error, Sendable, Hashable {
    /// The status and fields of the response.
    package var head: ResponseHead
    /// The violated rule, with its section.
    package var reason: String

    fileprivate init(_ reason: String, status: Int = 400, headers: HeaderFields = [:]) {
      (head, self.reason) = (ResponseHead(status: status, headers: headers), reason)
    }
  }

  /// The result of a handshake.
  package struct Terms: Sendable, Hashable {
    /// The subprotocol; `nil` if there is none.
    package var subprotocol: String?
    /// The compression parameters; `nil` if messages are not compressed.
    package var deflate: PerMessageDeflate?
  }

  /// The error of a client that received an invalid handshake response.
  package struct Failure: Error, Sendable, Hashable, CustomStringConvertible {
    /// The violated rule, with its section.
    package let description: String

    fileprivate init(_ text: String) { description = text }
  }

  /// Whether a request is a WebSocket handshake, valid or not. HTTP/1.0 does not support upgrades
  /// (RFC 9110 §7.8).
  package static func isAsked(by request: Request, version: String = "HTTP/1.1") -> Bool {
    version != "HTTP/1.0" && request.headers.contains(token: "websocket", in: "Upgrade")
  }

  /// Returns the value that proves that the server received the key (§4.2.2, 5.4).
  package static func accept(_ key: String) -> String {
    Data(BodyDigest.sha1.hash(Data((key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11").utf8)))
      .base64EncodedString()
  }

  /// Returns the fields that a client's handshake request needs (§4.1).
  ///
  /// - Parameters:
  ///   - key: Sixteen random bytes, new for each connection.
  ///   - subprotocols: The subprotocols that the client supports, the preferred one first.
  ///   - compresses: Whether the client offers to compress messages.
  /// - Returns: The handshake fields, without the usual fields of a request.
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

  /// Creates the response to a client's handshake request (§4.2).
  ///
  /// - Parameters:
  ///   - request: The request.
  ///   - version: The version of HTTP, such as `HTTP/1.1`.
  ///   - subprotocol: Chooses one of the offered subprotocols; `nil` means none.
  ///   - compresses: Whether the server accepts compression of messages.
  /// - Returns: The head of the response, and the agreed terms.
  /// - Throws: ``Rejection`` if the request violates a rule.
  package static func answer(
    to request: Request,
    version: String = "HTTP/1.1",
    choosing subprotocol: ([String]) -> String? = { _ in nil },
    compresses: Bool = PerMessageDeflate.isSupported
  ) throws(Rejection) -> (head: ResponseHead, terms: Terms) {
    let key = try checkedKey(of: request, version)
    var fields: HeaderFields = ["Upgrade": "websocket", "Connection": "Upgrade"]
    if let key { fields.append("Sec-WebSocket-Accept", accept(key)) }
    var terms = Terms()
    let offered = try subprotocols(in: request.headers)
    if !offered.isEmpty, let chosen = subprotocol(offered), offered.contains(chosen) {
      fields["Sec-WebSocket-Protocol"] = chosen
      terms.subprotocol = chosen
    }
    guard let offers = WebSocketExtension.list(request.headers.values("Sec-WebSocket-Extensions"))
    else { throw Rejection("Sec-WebSocket-Extensions cannot be read (RFC 6455 §9.1).") }
    // Accepts the first offer that can be met. Other offers and extensions are declined by
    // omission.
    if compresses, let deflate = offers.lazy.compactMap({ PerMessageDeflate(offer: $0) }).first {
      fields["Sec-WebSocket-Extensions"] = deflate.answer
      terms.deflate = deflate
    }
    return (ResponseHead(status: 101, headers: fields), terms)
  }

  /// Creates the response of a recorded server to a client's handshake request.
  ///
  /// It has the recorded subprotocol and compression, if the client offers them, and the other
  /// recorded fields.
  ///
  /// - Throws: ``Rejection`` if the request violates a rule or is not a WebSocket handshake.
  package static func replayed(
    _ recorded: ResponseHead,
    to request: Request,
    version: String
  ) throws(Rejection) -> (head: ResponseHead, terms: Terms) {
    guard isAsked(by: request, version: version) else {
      throw Rejection(
        "The recording is a WebSocket, but the request is not a handshake (RFC 6455 §4.1).",
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

  /// Returns the key of a handshake; `nil` in HTTP/2, whose handshakes have none (RFC 8441 §5).
  private static func checkedKey(
    of request: Request,
    _ version: String
  ) throws(Rejection) -> String? {
    let fields = request.headers
    guard request.method == "GET" else {
      throw Rejection(
        "A handshake is a GET (RFC 6455 §4.2.1).",
        status: 405,
        headers: ["Allow": "GET"]
      )
    }
    guard ["HTTP/1.1", "HTTP/2"].contains(version) else {
      throw Rejection("A handshake requires HTTP/1.1 (RFC 6455 §4.2.1), not \(version).")
    }
    guard fields.values("Host").count == 1 else {
      throw Rejection("A handshake requires one Host (RFC 6455 §4.2.1).")
    }
    guard fields.contains(token: "websocket", in: "Upgrade") else {
      throw Rejection("Upgrade is not websocket (RFC 6455 §4.2.1).")
    }
    guard fields.contains(token: "Upgrade", in: "Connection") else {
      throw Rejection("Connection lacks Upgrade (RFC 6455 §4.2.1).")
    }
    guard fields.values("Sec-WebSocket-Version").count == 1, fields["Sec-WebSocket-Version"] == "13"
    else {
      throw Rejection(
        "Sec-WebSocket-Version is not 13 (RFC 6455 §4.2.2).",
        status: 426,
        headers: ["Upgrade": "websocket", "Connection": "Upgrade", "Sec-WebSocket-Version": "13"]
      )
    }
    if version == "HTTP/2" { return nil }
    let keys = fields.values("Sec-WebSocket-Key")
    guard keys.count == 1, let key = keys.first,
      Data(base64Encoded: key)?.count == 16
    else { throw Rejection("Sec-WebSocket-Key is not base64 of sixteen bytes (RFC 6455 §4.2.1).") }
    return key
  }

  private static func subprotocols(in fields: HeaderFields) throws(Rejection) -> [String] {
    let names = fields.elements("Sec-WebSocket-Protocol").map(String.init)
    guard names.isEmpty == (fields["Sec-WebSocket-Protocol"] == nil),
      names.allSatisfy(\.isHTTPToken),
      Set(names).count == names.count
    else {
      throw Rejection(
        "Sec-WebSocket-Protocol is not a list of different tokens (RFC 6455 §11.3.4)."
      )
    }
    return names
  }

  /// Checks a server's handshake response against the request (§4.1).
  ///
  /// - Returns: The agreed terms.
  /// - Throws: The violated rule, for which the client fails the connection.
  package static func terms(
    of head: ResponseHead,
    answering request: HeaderFields
  ) throws(Failure) -> Terms {
    let fields = head.headers
    guard head.status == 101 else {
      throw Failure("The server answered \(head.status) instead of 101 (RFC 6455 §4.1).")
    }
    let upgrades = fields.values("Upgrade")
    guard upgrades.count == 1, upgrades[0].equalsIgnoringASCIICase("websocket") else {
      throw Failure("The response's Upgrade is not websocket (RFC 6455 §4.1).")
    }
    guard fields.contains(token: "Upgrade", in: "Connection") else {
      throw Failure("The response's Connection lacks Upgrade (RFC 6455 §4.1).")
    }
    let proofs = fields.values("Sec-WebSocket-Accept")
    // Equal strings may consist of different bytes, so the bytes are compared.
    guard proofs.count == 1,
      proofs[0].utf8.elementsEqual(accept(request["Sec-WebSocket-Key"] ?? "").utf8)
    else { throw Failure("Sec-WebSocket-Accept does not match the key (RFC 6455 §4.1).") }
    var terms = Terms()
    let chosen = fields.values("Sec-WebSocket-Protocol")
    if let name = chosen.first {
      let offered = request.elements("Sec-WebSocket-Protocol")
      guard chosen.count == 1, name.isHTTPToken, offered.contains(name[...]) else {
        throw Failure("The response has an unrequested subprotocol (RFC 6455 §4.1).")
      }
      terms.subprotocol = name
    }
    let extensions = fields.values("Sec-WebSocket-Extensions")
    guard extensions.count <= 1, let agreed = WebSocketExtension.list(extensions) else {
      throw Failure(
        "The response's Sec-WebSocket-Extensions is invalid or occurs twice (RFC 6455 §11.3.2)."
      )
    }
    let offered = WebSocketExtension.list(request.values("Sec-WebSocket-Extensions")) ?? []
    for one in agreed {
      guard offered.contains(where: { $0.name.equalsIgnoringASCIICase(one.name) }) else {
        throw Failure("The response has the unrequested extension \(one.name) (RFC 6455 §4.1).")
      }
      guard terms.deflate == nil, let deflate = PerMessageDeflate(answer: one, to: offered) else {
        throw Failure("The response's parameters of \(one.name) match no offer (RFC 7692 §7.1).")
      }
      terms.deflate = deflate
    }
    return terms
  }
}
