internal import Foundation
internal import WindTunnelSymptoms

/// A response under construction, before it is lowered to steps.
struct ScriptedResponse {
  let stage: Stage
  /// The recordings whose bodies its faults send, by number.
  private let bodySources: [Int: Interaction]
  private(set) var head: ResponseHead?
  private(set) var body = Data()
  var pieces = Pieces()
  /// Whether the head ends the message, regardless of its fields (RFC 9112 §6.3, rule 1).
  private(set) var isContentless = false
  /// The end of the recorded response, if it was cut; a replacement response is not cut.
  var recordedCut: Cut?
  var stops = Stops()
  /// The malformation of the response; `nil` if it is well-formed.
  private(set) var malformation: Malformation?
  /// The size of the parts of the body, and the time between them.
  var dribble: (bytes: Int, interval: Duration)?
  /// The number of interim responses that faults add.
  private(set) var interimResponses = 0
  /// The number of bytes after which an endless body is cut.
  private(set) var endlessBytes: Int?

  /// A cut of the response before its end.
  struct Cut {
    /// The number of bytes of the body before the cut; `nil` for a cut before the head.
    var offset: Int?
    var ending: Delivery.Step
    /// Whether the recorded bytes after it were not valid HTTP.
    var isMalformed = false
  }

  /// Creates a response without a head and a body.
  init(on stage: Stage, bodySources: [Int: Interaction]) {
    (self.stage, self.bodySources) = (stage, bodySources)
  }

  /// The response, if all of it is sent at once without changes; `nil` if it needs steps.
  var whole: (head: ResponseHead, body: Data)? {
    guard let head, recordedCut == nil, stops.isEmpty, malformation == nil,
      head.informational.isEmpty, interimResponses == 0, endlessBytes == nil, dribble == nil,
      pieces.isOne
    else { return nil }
    return (head, body)
  }

  /// Removes the interim responses of a recording, which a client of HTTP/1.0 cannot receive.
  mutating func leaveOutInterims() {
    if head?.informational.isEmpty == false { head?.informational = [] }
  }

  /// Sets the response to a request.
  mutating func answer(_ response: Response, to request: Request) {
    head = response.head
    isContentless = Response.hasNoContent(method: request.method, status: response.status)
    if isContentless {
      body = Data()
      return
    }
    body = response.body.data
    // A played body is complete, so a recorded length must match it.
    let length = String(body.count)
    let written = response.headers.count { $0.isNamed("Content-Length") }
    if written > 1 || written == 1 && response.headers["Content-Length"] != length {
      head?.headers["Content-Length"] = length
    }
  }

  /// Sets the response if there is none.
  mutating func stand(_ notice: Response) { (head, body) = (notice.head, notice.body.data) }

  /// Sets a recorded response that was cut by a failure.
  mutating func answer(_ response: Response, to request: Request, cutBy symptom: Symptom) {
    answer(response, to: request)
    head = response.head
    breakOff(by: symptom, at: body.count)
  }

  /// Cuts the response by a recorded failure: after some bytes of the body, or before its head.
  mutating func breakOff(by symptom: Symptom, at offset: Int?) {
    recordedCut = Cut(
      offset: offset,
      ending: ending(symptom),
      isMalformed: symptom == .malformedResponse
    )
  }

  /// Returns the end of a connection that leads to a client's symptom.
  ///
  /// A client that cancelled the recorded request waits until it cancels again.
  private func ending(_ symptom: Symptom) -> Delivery.Step {
    switch (stage, symptom) {
    case (_, .cancelled): .stall
    case (.inProcess, _): .fail(symptom)
    case (.onTheWire, .connectionLost): .reset
    case (.onTheWire, .timedOut): .stall
    case (.onTheWire, _): .close
    }
  }

  // MARK: Changes

  /// Removes the cuts and pauses after the end of the response, and returns their faults with the
  /// reasons.
  ///
  /// A client that receives the complete response has no fault.
  mutating func removeMissedCuts() -> [(fault: Fault, reason: String)] {
    guard !stops.isEmpty, head != nil, endlessBytes == nil else { return [] }
    let (hasNoBody, count) = (isContentless, body.count)
    let whole = stops.countBytes ? message().bytes.count : 0
    return stops.removeFaults { point in
      switch point {
      case .afterRequest, .inStatusLine, .inHeaders: return nil
      case .byte(let place):
        let isMissed = place > whole || hasNoBody && place == whole
        return isMissed ? "the response has \(whole) bytes" : nil
      case .body(let place), .inChunk(let place?):
        if hasNoBody { return "the response has no body" }
        return place > count ? "the body has \(count) bytes" : nil
      case .inChunk(nil), .event: return hasNoBody ? "the response has no body" : nil
      }
    }
  }

  /// Returns the number of bytes of the body up to the end of its event with this number.
  func place(ofEvent count: Int) -> Result<Int, Mutation.Misfit> {
    guard let type = head?.headers["Content-Type"],
      let format = EventStream.Format(contentType: type)
    else { return .failure(Mutation.Misfit("the response has no event stream")) }
    guard head?.headers["Content-Encoding"] == nil else {
      return .failure(Mutation.Misfit("the body is in a coding"))
    }
    if count == 0 { return .success(0) }
    let events = EventStream(body, format).events
    guard count <= events.count else {
      return .failure(Mutation.Misfit("the response has \(events.count) events"))
    }
    return .success(events[count - 1].end)
  }

  /// Applies a mutation of the body.
  mutating func mutate(_ mutation: Mutation, _ request: Request) throws(Mutation.Misfit) {
    guard let head else { throw Mutation.Misfit("there is no response") }
    let (old, wasContentless) = (body, isContentless)
    let announced = head.headers.contentLength
    let mutated = try mutation.applied(to: Response(head, Body(old)), hasContent: !wasContentless)
    answer(mutated, to: request)
    // A recording that was cut declares more than it has, and still does after the body has changed
    // its length.
    if recordedCut?.offset != nil, !wasContentless, !isContentless, let announced, announced >= 0 {
      let rest = max(0, announced - old.count)
      self.head?.headers["Content-Length"] = String(body.count.adding(bytes: rest))
    }
    // A body that only ends earlier keeps the origin's parts.
    if body != old.prefix(body.count) { pieces.join() }
    if recordedCut?.offset != nil { recordedCut?.offset = body.count }
  }

  /// Applies an edit of the response.
  mutating func edit(_ edit: ResponseEdit, _ request: Request) throws(Mutation.Misfit) {
    guard let head else { throw Mutation.Misfit("there is no response") }
    switch edit {
    case .contentType(let type): self.head?.headers["Content-Type"] = type
    case .contentEncoding(let coding):
      let name = coding == .unknown ? "x-unknown" : coding.rawValue
      guard !isContentless, !body.isEmpty else { throw Mutation.Misfit("the response has no body") }
      try require(head.headers["Content-Encoding"] == nil, or: "the body is in a coding already")
      self.head?.headers["Content-Encoding"] = name
    case .stale(let seconds): self.head?.headers["Age"] = String(seconds)
    case .version(let number): try becomeVersion(number, for: request)
    case .moreFields(let count):
      for number in 1...max(1, count) { self.head?.headers.append("X-Filler-\(number)", "filler") }
    case .lowercaseFieldNames:
      var fields = head.headers.map { HeaderField($0.name.lowercased(), $0.value) }
      // A field that a server adds by itself would have another spelling.
      if !isContentless, head.headers["Content-Length"] == nil,
        head.headers["Transfer-Encoding"] == nil
      {
        fields.append(HeaderField("content-length", String(body.count)))
      }
      self.head?.headers = HeaderFields(fields)
    case .longField(let count):
      if stage == .inProcess, count > ResponseEdit.clientFieldBytesMax {
        stops.add(.end(.fail(.malformedResponse)), at: .afterRequest)
      } else {
        // Ten times as fast as a string of repeated characters.
        let filler = [UInt8](repeating: UInt8(ascii: "f"), count: count)
        self.head?.headers.append("X-Filler", String(decoding: filler, as: UTF8.self))
      }
    case .interimResponses(let count): interimResponses += count
    case .body, .endlessBody, .gzipBomb, .bodyOf: try editBody(edit, of: head, for: request)
    }
  }

  private mutating func editBody(
    _ edit: ResponseEdit,
    of head: ResponseHead,
    for request: Request
  ) throws(Mutation.Misfit) {
    // Another body can only replace a complete one.
    try require(recordedCut == nil, or: "the recording is of a truncated response")
    try require(!isContentless, or: "the response has no body")
    switch edit {
    case .body(let content):
      let (changed, edits) = try content.applied(to: body, of: head)
      answer(Response(head, Body(changed)), to: request)
      if let edits { return pieces.follow(edits) }
    case .gzipBomb(let count):
      try require(head.headers["Content-Encoding"] == nil, or: "the body is in a coding already")
      try require(Inflate.isThere, or: "zlib is missing")
      // In process the platform decompresses the body, and adds the request's field later.
      let isNamed = request.headers["Accept-Encoding"] != nil
      guard stage == .inProcess || isNamed && request.headers.accepts(coding: "gzip") else {
        throw Mutation.Misfit("the client does not accept gzip")
      }
      var packed = head
      packed.headers["Content-Encoding"] = "gzip"
      answer(Response(packed, Body(GzipBomb(opensTo: bounded(count)).data)), to: request)
    case .bodyOf(let number):
      let other = try bodySource(number, for: request)
      var changed = head
      for name in ["Content-Type", "Content-Encoding"] {
        changed.headers[name] = other.headers[name]
      }
      answer(Response(changed, other.body), to: request)
    case .endlessBody(let count):
      guard malformation == nil else { throw Mutation.Misfit("the response is malformed") }
      self.head?.headers.remove("Content-Length")
      self.head?.headers["Transfer-Encoding"] = "chunked"
      endlessBytes = bounded(count)
      return
    case .contentType, .contentEncoding, .stale, .version, .moreFields, .lowercaseFieldNames,
      .longField, .interimResponses:
      return
    }
    pieces.join()
  }

  /// Returns the response of another recording, without a content coding that can be decoded.
  private func bodySource(_ number: Int, for request: Request) throws(Mutation.Misfit) -> Response {
    guard let source = bodySources[number] else {
      throw Mutation.Misfit("the cassette has no recording \(number)")
    }
    let fitted = FittedResponse(source, to: request, isVersioned: true).interaction
    guard case .response(let other) = fitted.result, !other.body.data.isEmpty else {
      throw Mutation.Misfit("recording \(number) has no whole body")
    }
    try require(other.body.data != body, or: "the body is that of recording \(number) already")
    return other
  }

  private mutating func becomeVersion(_ number: Int, for request: Request) throws(Mutation.Misfit) {
    try require(recordedCut == nil, or: "the recording is of a truncated response")
    guard let head, head.status == 200 else { throw Mutation.Misfit("the response is not a 200") }
    try require(head.headers["Content-Encoding"] == nil, or: "the body is in a coding")
    let old = body
    let whole = Response(head, Body(old)).version(number)
    guard number == 1 || isContentless || whole.body.data != old else {
      throw Mutation.Misfit("the body has no letters or digits")
    }
    answer(whole.part(for: request), to: request)
    if body != old { pieces.join() }
  }

  private func require(_ isMet: Bool, or reason: String) throws(Mutation.Misfit) {
    if !isMet { throw Mutation.Misfit(reason) }
  }

  private func bounded(_ count: Int) -> Int {
    stage == .inProcess ? min(count, ResponseEdit.inProcessBodyBytesMax) : count
  }

  /// Applies a malformation, to a stopgap if there is no response.
  mutating func malform(_ malformation: Malformation) throws(Mutation.Misfit) {
    try require(self.malformation == nil, or: "the response is malformed in another way")
    guard endlessBytes == nil else { throw Mutation.Misfit("the response has no end") }
    guard recordedCut == nil else { throw Mutation.Misfit("the recording is of a failure") }
    if head == nil { stand(.stopgap) }
    guard !malformation.needsContent || !isContentless && !body.isEmpty else {
      throw Mutation.Misfit("the response has no body")
    }
    self.malformation = malformation
  }

  // MARK: As bytes

  /// Returns the response as bytes.
  func message() -> WireMessage {
    let head = head ?? ResponseHead()
    if let malformation { return WireMessage(head, body, wrongAs: malformation) }
    if breaksOffMalformed { return WireMessage(head, brokenBehind: body) }
    if let chunk = stops.chunkBytes(ofBody: body.count), !isContentless {
      let announced = max(body.count, chunk + 1)
      return WireMessage(head, body, .chunk(announced), isContentless: false)
    }
    let written = head.headers.contentLength
    if isContentless { return WireMessage(head, body, .length(written), isContentless: true) }
    let announced = recordedCut == nil ? body.count : max(written ?? 0, body.count + 1)
    let message = WireMessage(head, body, .length(announced), isContentless: false)
    // An end at the declared length would not be an error.
    guard recordedCut == nil, stops.end(behind: message, ofBody: body.count) else { return message }
    return WireMessage(head, body, .length(body.count + 1), isContentless: false)
  }

  /// Whether the recorded response ended, on a wire, in bytes that were not valid HTTP.
  var breaksOffMalformed: Bool {
    stage == .onTheWire && !isContentless && recordedCut?.isMalformed == true
      && recordedCut?.offset != nil
  }

  /// Replaces a malformed response by the client's view of it.
  mutating func seem(_ malformation: Malformation) {
    let half = body.count / 2
    switch malformation.appearance {
    case .whole: break
    case .failure(let symptom): stops.add(.end(.fail(symptom)), at: .afterRequest)
    case .failureBehindBody(let symptom): stops.add(.end(.fail(symptom)), at: .body(body.count))
    case .failureBehindHalf(let symptom): stops.add(.end(.fail(symptom)), at: .body(half))
    case .half(let isAnnounced):
      body = body.prefix(half)
      head?.headers.remove("Transfer-Encoding")
      head?.headers["Content-Length"] = isAnnounced ? String(half) : nil
    case .contentless(let status):
      head?.status = status
      body = Data()
    }
  }
}
