internal import Foundation
internal import WindTunnelHTTP

/// A stream: one request with its response. A class because several collections share it.
///
/// The names have the meaning of a server. In the client's role, `request` is the received message,
/// which is the response, and `response` is the sent one.
final class HTTP2Stream {
  let id: Int
  /// The state of the request: its content length and the bytes so far.
  var request = Request()
  var response = Response()
  /// The head of a response that this client waits for; `nil` after it has arrived, and for a
  /// server.
  var awaitedHead: AwaitedHead?
  var receiveWindow: HTTP2ReceiveWindow
  /// The number of bytes of content that the client accepts. Negative after the client has reduced
  /// its initial window.
  var sendWindow: Int

  struct AwaitedHead {
    /// The method of the request.
    let method: String
    /// The number of interim responses so far.
    var interimCount = 0
  }

  struct Request {
    /// The value of `content-length`.
    var length: Int?
    var received = 0
    /// Whether the request is HEAD, whose response never has content (RFC 9110 §9.3.2).
    var isHead = false
    /// Whether END_STREAM was received.
    var isEnded = false
    /// Whether further content is skipped.
    var isSkipped = false
    /// Whether the content is not part of the request, but belongs to the protocol after the
    /// response (RFC 8441 §5).
    var isTunnel = false
    /// Whether the server waits for more of the request.
    var isIncomplete: Bool { !isEnded && !isTunnel }
  }

  struct Response {
    enum State {
      case none
      /// The head was written, and content may follow.
      case open
      /// No more content is added, and some may wait.
      case ending(ResponseEnd)
      /// The end was written.
      case ended
    }

    /// The end of a response after the waiting content.
    enum ResponseEnd {
      case content
      case trailers(HeaderFields)
      /// The content is shorter than announced. RST_STREAM ends the stream, as a cut ends a
      /// connection.
      case reset

      var isContent: Bool { if case .content = self { true } else { false } }
    }

    var state = State.none
    /// The number of bytes of content so far, including waiting ones.
    var count = 0
    var waiting = HTTP2WaitingContent()
    /// The time at which content began to wait, or at which a part of it was written last.
    var waitStart = Moment(nanoseconds: 0)

    /// The end of the response; `nil` before all content is known and after the end was written.
    var end: ResponseEnd? { if case .ending(let end) = state { end } else { nil } }
  }

  init(_ id: Int, receiving window: Int, sending: Int) {
    (self.id, receiveWindow, sendWindow) = (id, HTTP2ReceiveWindow(window), sending)
  }

  var hasNoResponse: Bool { if case .none = response.state { true } else { false } }
  /// Whether the stream carries another protocol.
  var isOpenTunnel: Bool { request.isTunnel && !request.isSkipped && takesContent }
  /// Whether content may be added to the response.
  var takesContent: Bool { if case .open = response.state { true } else { false } }
  /// Whether the response was written, including its end.
  var isDelivered: Bool { if case .ended = response.state { true } else { false } }
  /// Whether the server still needs the events of the stream. After a complete response, only a
  /// tunnel does.
  var isServed: Bool { !isDelivered || request.isTunnel }

  /// Counts received bytes. Returns whether they fit into the window, and whether their content is
  /// kept until it is given back.
  func receive(_ count: Int) -> (isReceived: Bool, isKept: Bool) {
    guard !request.isEnded else { return (true, false) }
    let isReceived = receiveWindow.receive(count)
    return (isReceived, isReceived && request.isTunnel && !request.isSkipped)
  }
}

/// Content of a response that waits for the flow-control window or for its turn. Slices are not
/// copied.
struct HTTP2WaitingContent {
  private var slices: [Data] = []
  private var first = 0
  private(set) var count = 0

  var isEmpty: Bool { count == 0 }

  mutating func append(_ data: Data) {
    slices.append(data)
    count += data.count
  }

  /// Moves bytes to the output.
  mutating func move(_ length: Int, to bytes: inout [UInt8]) {
    count -= length
    var length = length
    while length > 0 {
      let slice = slices[first]
      let taken = min(length, slice.count)
      slice.withUnsafeBytes { bytes.append(contentsOf: $0.prefix(taken)) }
      length -= taken
      if taken == slice.count { first += 1 } else { slices[first] = slice.dropFirst(taken) }
    }
    if count == 0 { self = Self() }
  }
}

/// The open streams of a connection, and the ends of recently closed streams (RFC 9113 §5.1).
struct HTTP2Streams {
  /// The end of a closed stream.
  enum StreamEnd {
    /// Both ends have finished the stream.
    case regular
    /// The client has reset the stream.
    case resetByClient
    /// This end has reset the stream, so that frames of the client may still be in transit.
    case resetHere
  }

  private var open: [Int: HTTP2Stream] = [:]
  // Streams by their end. Late frames are allowed on streams that this end has reset, and are
  // errors on others.
  private var resetHere: HTTP2RecentStreams
  private var resetByClient: HTTP2RecentStreams
  private var regular = HTTP2RecentStreams(max: 64)
  /// The number of incomplete requests.
  private(set) var unfinished = 0
  /// The highest stream identifier of the client so far.
  private(set) var last = 0

  /// The role of this end.
  let role: HTTP2Role

  init(_ role: HTTP2Role, remembering resetsMax: Int) {
    self.role = role
    resetHere = HTTP2RecentStreams(max: resetsMax)
    resetByClient = resetHere
  }

  var count: Int { open.count }
  /// The highest stream identifier of the peer so far. A server without push opens no streams.
  var lastOfPeer: Int { role == .server ? last : 0 }
  var all: Dictionary<Int, HTTP2Stream>.Values { open.values }

  subscript(id: Int) -> HTTP2Stream? { open[id] }

  /// Returns the end of a closed stream; `nil` for an idle stream, for a skipped identifier, and if
  /// the end is forgotten.
  func end(of id: Int) -> StreamEnd? {
    if resetHere.contains(id) { return .resetHere }
    if resetByClient.contains(id) { return .resetByClient }
    return regular.contains(id) ? .regular : nil
  }

  /// RFC 9113 §5.1.1: even streams are the server's, and a server without push opens none.
  func isIdle(_ id: Int) -> Bool { id > last || id.isMultiple(of: 2) }

  /// Notes a stream identifier of the client, which closes all lower idle streams.
  mutating func use(_ id: Int) { last = max(last, id) }

  mutating func insert(_ stream: HTTP2Stream) {
    open[stream.id] = stream
    if stream.request.isIncomplete { unfinished += 1 }
  }

  /// Notes the end of a request.
  mutating func endRequest(of stream: HTTP2Stream) {
    if stream.request.isIncomplete { unfinished -= 1 }
    stream.request.isEnded = true
    if stream.isDelivered { close(stream.id, .regular) }
  }

  /// Notes the end of a response.
  mutating func endResponse(of stream: HTTP2Stream) {
    stream.response.state = .ended
    if stream.request.isEnded { close(stream.id, .regular) }
  }

  /// Removes all open streams.
  mutating func removeAll() { (open, unfinished) = ([:], 0) }

  /// Removes a stream with the content that waits, and remembers its end.
  mutating func close(_ id: Int, _ end: StreamEnd) {
    if let stream = open.removeValue(forKey: id) {
      stream.response.waiting = HTTP2WaitingContent()
      if stream.request.isIncomplete { unfinished -= 1 }
    }
    switch end {
    case .regular: regular.insert(id)
    case .resetByClient: resetByClient.insert(id)
    case .resetHere: resetHere.insert(id)
    }
  }
}

/// The most recent streams with one kind of end.
private struct HTTP2RecentStreams {
  private var ids: [Int] = []
  private var oldest = 0
  private let max: Int

  init(max: Int) { self.max = max }

  func contains(_ id: Int) -> Bool { ids.contains(id) }

  mutating func insert(_ id: Int) {
    guard ids.count >= max else { return ids.append(id) }
    ids[oldest] = id
    oldest = (oldest + 1) % max
  }
}
