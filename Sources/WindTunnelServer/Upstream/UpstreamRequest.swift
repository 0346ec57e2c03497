internal import Foundation
internal import WindTunnel

/// A request on its way to an upstream: its head, and its content as fast as that takes it.
struct UpstreamRequest {
  /// The use of the connection behind the answer.
  enum Connection {
    /// The connection ends with the answer.
    case ends
    /// The connection may serve another request.
    case isShared
    /// The connection goes on as a WebSocket, with some of the extensions that the client offers.
    case isUpgraded(Extensions)
  }

  /// The extensions of WebSocket that are offered (RFC 6455 §9.1).
  enum Extensions {
    /// Those of the client, whatever they are.
    case all
    /// Those whose messages can be read here, since they are recorded.
    case read
    /// None, since messages are changed.
    case none
  }

  /// The count of bytes of a body that are handed over at once, so that an upstream that does not
  /// read costs no more.
  private static let sliceBytes = 64 * 1024

  private let request: Request
  /// The content, where it is not kept.
  private let upload: Upload?
  /// The part of kept content that has not been written.
  private var unsent = Data()
  private var isHeadSent = false

  init(_ request: Request, _ upload: Upload?) { (self.request, self.upload) = (request, upload) }

  /// Tells whether all content that is kept has been written.
  var isSent: Bool { unsent.isEmpty }

  /// Writes the head, and of the content what there is.
  ///
  /// - Parameters:
  ///   - channel: The connection to the upstream.
  ///   - origin: The name that the upstream is known by.
  ///   - connection: The use of the connection behind the answer.
  ///   - opensCodings: Whether only such content codings are asked for as can be opened.
  ///   - takesTrailers: Whether the client accepts trailers.
  mutating func send(
    on channel: Channel,
    to origin: RequestURL,
    _ connection: Connection,
    opensCodings: Bool,
    takesTrailers: Bool
  ) {
    var headers = request.headers
    if opensCodings { headers.acceptOnlyOpenedCodings() }
    let port = origin.port.map { ":\($0)" } ?? ""
    headers = HeaderFields([HeaderField("Host", (origin.host ?? "") + port)] + headers)
    switch connection {
    case .isUpgraded(let extensions):
      switch extensions {
      case .all: break
      case .read: headers.keepReadExtensions()
      case .none: headers.remove("Sec-WebSocket-Extensions")
      }
      headers.append("Connection", "Upgrade")
      headers.append("Upgrade", "websocket")
    case .ends: headers.append("Connection", takesTrailers ? "close, TE" : "close")
    case .isShared: if takesTrailers { headers.append("Connection", "TE") }
    }
    // RFC 9110 §10.1.4: TE belongs to one connection.
    if takesTrailers { headers.append("TE", "trailers") }
    frameContent(&headers)
    channel.write { bytes in
      bytes.appendHead(method: request.method, target: request.url.target, headers: headers)
    }
    unsent = request.body.data
    isHeadSent = true
    passContent(on: channel)
  }

  /// Says in a head how the content is framed.
  private func frameContent(_ headers: inout HeaderFields) {
    let data = request.body.data
    if let upload {
      headers["Content-Length"] = upload.length.map { String($0) }
      if upload.length == nil { headers["Transfer-Encoding"] = "chunked" }
    } else if data.isEmpty, headers["Content-Length"] == nil || headers["Content-Length"] == "0" {
      // RFC 9110 §8.6: a request that could have content says that it has none.
      if ["POST", "PUT", "PATCH"].contains(request.method) { headers["Content-Length"] = "0" }
    } else {
      headers["Content-Length"] = String(data.count)
    }
  }

  /// Passes on what has come, as fast as the upstream takes it.
  mutating func passContent(on channel: Channel) {
    guard isHeadSent else { return }
    while !unsent.isEmpty, !channel.isCongested {
      channel.write(unsent.prefix(Self.sliceBytes))
      unsent = unsent.dropFirst(Self.sliceBytes)
    }
    if !unsent.isEmpty { channel.notifyWhenDrained() }
    guard let upload else { return }
    let isChunked = upload.length == nil
    while !upload.waiting.isEmpty, !channel.isCongested {
      let data = upload.dequeue(atMost: Self.sliceBytes)
      channel.write { bytes in
        if isChunked { bytes.appendChunk(data) } else { bytes.append(contentsOf: data) }
      }
    }
    if upload.isWhole, upload.waiting.isEmpty, !upload.isEndPassed {
      upload.isEndPassed = true
      if isChunked { channel.write { $0.appendLastChunk() } }
    }
    if channel.isCongested { channel.notifyWhenDrained() }
  }

  /// Tells whether it is the client that nothing comes from.
  func awaitsContent(on channel: Channel) -> Bool {
    guard let upload else { return false }
    return !upload.isWhole && upload.waiting.isEmpty && channel.queuedBytes == 0
  }
}

/// The content of a request that is never here as a whole: it goes on to the upstream while it
/// comes, or is thrown away where nobody wants it.
final class Upload {
  /// Requests of up to so much content are read whole first, so that they can be sent once more.
  static let wholeBytesMax = 256 * 1024

  /// The count of its bytes; `nil` where only the end tells.
  fileprivate let length: Int?
  /// Tells whether it goes on.
  let isPassedOn: Bool
  /// The bytes that came and were not passed on yet.
  fileprivate private(set) var waiting = ByteQueue()
  /// Tells whether all of it has come.
  var isWhole = false
  /// Tells whether its end has been passed on.
  fileprivate var isEndPassed = false

  init(_ framing: Framing, isPassedOn: Bool) {
    length = if case .length(let length) = framing { length } else { nil }
    self.isPassedOn = isPassedOn
  }

  /// Tells whether the client has to wait.
  func isFull(_ limits: Limits) -> Bool { waiting.count > limits.queuedBytesMax }

  func append(_ data: Data) { if isPassedOn { waiting.append(data) } }

  func dequeue(atMost count: Int) -> Data { waiting.take(atMost: count) }
}

extension HeaderFields {
  /// Offers no extension of WebSocket but those that can be read here (RFC 6455 §9.1).
  fileprivate mutating func keepReadExtensions() {
    let name = "Sec-WebSocket-Extensions"
    let offers = (WebSocketExtension.list(values(name)) ?? []).filter { $0.isRead }
    remove(name)
    if !offers.isEmpty { append(name, offers.map(\.description).joined(separator: ", ")) }
  }
}
