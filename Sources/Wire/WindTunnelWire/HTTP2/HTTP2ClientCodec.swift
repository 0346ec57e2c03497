package import Foundation
package import WindTunnelHTTP

/// HTTP/2 on a client's connection (RFC 9113): one stream for each request, without server push.
///
/// ``connection`` takes the server's bytes, and writes the content of requests and control frames.
/// Only tests use the client's role so far: the commands that connect to servers use HTTP/1.1.
package final class HTTP2ClientCodec {
  /// A part of a response, or the failure of its request.
  package enum Event: Sendable, Hashable {
    /// The head of the response, or of an interim response before it.
    case head(ResponseStart)
    case content(Data)
    case trailers(HeaderFields)
    /// The end of the response. The rest of the request may still be sent.
    case end
    case failed(Failure)
    /// The server accepts no further requests, and does not process requests on streams above the
    /// last one (RFC 9113 §6.8). It precedes their failures, and belongs to stream 0.
    case goAway(StreamError, last: Int)
  }

  /// The reason why a request has no complete response.
  package enum Failure: Sendable, Hashable {
    /// The server has not processed the request, so that it is safe to send it again (RFC 9113
    /// §8.7). Its stream was refused, or is above the last one of GOAWAY.
    case notProcessed(StreamError)
    /// The server reset the stream. It may have processed the request.
    case reset(StreamError)
    /// The response is malformed or above a limit. This end reset the stream.
    case invalid(ProtocolError)
    /// The connection ended. The server may have processed the request. The error is `nil` if the
    /// server sent none.
    case connectionEnded(StreamError?)
  }

  /// The reason why no stream can be opened.
  package enum OpenError: Error, Hashable {
    /// The connection has ended or will end. Another one is needed.
    case connectionEnds
    /// The maximum number of streams is open. One of them has to end first.
    case tooManyStreams
    /// The method is CONNECT, which is not supported.
    case isTunnel
  }

  /// The frames, windows and limits, in the client's role. Its events are read by ``next()``.
  package let connection: HTTP2Codec
  /// The events of frames that concern several streams.
  private var events: [(stream: Int, event: Event)] = []
  /// The error of the server's GOAWAY; `nil` if it sent none.
  private var goAway: StreamError?
  /// Whether the connection has ended for all streams.
  private var isOver = false

  /// Creates the codec of a connection. Its preface and SETTINGS are pending.
  ///
  /// - Parameters:
  ///   - limits: The limits of a response.
  ///   - bounds: The limits of the connection.
  ///   - clock: Returns the time, by which resets are limited.
  package init(
    limits: Limits = .upstream,
    bounds: HTTP2Limits = HTTP2Limits(),
    clock: @escaping () -> Moment = Moment.now
  ) {
    connection = HTTP2Codec(as: .client, limits: limits, bounds: bounds, clock: clock)
  }

  // MARK: - Requests

  /// Whether a stream can be opened once fewer are open.
  private var isOpen: Bool {
    !isOver && goAway == nil && connection.reader.output.streams.last < HTTP2Frame.numberMax
  }

  /// The number of streams that can be opened now, within the limits of both ends.
  package var openableStreams: Int {
    let output = connection.reader.output
    let most = min(output.peer.streamsMax, connection.reader.bounds.concurrentStreamsMax)
    return isOpen ? max(0, most - output.streams.count) : 0
  }

  /// Opens a stream, and writes the head of its request.
  ///
  /// - Parameters:
  ///   - head: The head, in whose framing the content is then written. Without content, the request
  ///     is complete.
  ///   - scheme: The scheme of the URL.
  ///   - bytes: The output.
  /// - Returns: The stream's identifier.
  /// - Throws: The reason why no stream can be opened.
  package func open(
    _ head: RequestHead,
    scheme: String,
    to bytes: inout [UInt8]
  ) throws(OpenError) -> Int {
    guard head.method != "CONNECT" else { throw .isTunnel }
    guard isOpen else { throw .connectionEnds }
    guard openableStreams > 0 else { throw .tooManyStreams }
    let last = connection.reader.output.streams.last
    let id = last == 0 ? 1 : last + 2
    var block: [UInt8] = []
    block.appendBlock(head, scheme: scheme)
    connection.write(to: &bytes) { [window = connection.reader.bounds.streamWindowBytes] writer in
      let stream = HTTP2Stream(id, receiving: window, sending: writer.peer.initialWindow)
      stream.awaitedHead = HTTP2Stream.AwaitedHead(method: head.method)
      writer.streams.use(id)
      writer.streams.insert(stream)
      writer.flushControl()
      writer.append(in: head.framing, on: stream) { $0.append(contentsOf: block) }
    }
    return id
  }

  /// Cancels a request (RFC 9113 §5.4.2). Its stream has no further events.
  package func cancel(_ stream: Int, to bytes: inout [UInt8]) {
    _ = connection.appendReset(.cancel, on: stream, to: &bytes)
  }

  /// Announces that this end closes the connection.
  package func appendGoAway(to bytes: inout [UInt8]) {
    connection.write(to: &bytes) { $0.appendFinalGoAway("") }
  }

  // MARK: - Responses

  /// Returns the next event; `nil` until more bytes are fed.
  package func next() -> (stream: Int, event: Event)? {
    while events.isEmpty, !isOver {
      do throws(HTTP2Fault) {
        guard let found = try connection.step() else {
          if connection.hasEnded { end(by: goAway == .noError ? nil : goAway) }
          break
        }
        take(found)
      } catch {
        take(error)
      }
    }
    return events.isEmpty ? nil : events.removeFirst()
  }

  private func take(_ found: HTTP2FrameReader.Found) {
    let id = found.stream
    switch (found.response, found.event) {
    case (.goAway(let error, let last)?, _):
      goAway = error
      events.append((0, .goAway(error, last: last)))
      for id in openStreams where id > last {
        connection.reader.output.streams.close(id, .resetByClient)
        events.append((id, .failed(.notProcessed(error))))
      }
    case (let event?, _): events.append((id, event))
    case (_, .content(let data)?): events.append((id, .content(data)))
    case (_, .trailers(let fields)?): events.append((id, .trailers(fields)))
    case (_, .end?): events.append((id, .end))
    case (_, .head?), (_, .failed?), (_, nil): break
    }
    if found.isLast { events.append((id, .end)) }
  }

  private func take(_ fault: HTTP2Fault) {
    let (id, code, error): (Int, StreamError, ProtocolError)
    switch fault {
    case .connection(let code, let sentence):
      end(by: code)
      return connection.fail(code, sentence)
    case .stream(let stream, let itsCode, let sentence):
      (id, code, error) = (stream, itsCode, .bad(sentence))
    case .refused(let stream, let itsError): (id, code, error) = (stream, .cancel, itsError)
    }
    let isAwaited = connection.reader.output.streams[id]?.request.isEnded == false
    connection.reader.output.reset(id, code)
    if isAwaited { events.append((id, .failed(.invalid(error)))) }
    if !connection.reader.countReset() { take(HTTP2FrameReader.tooManyResets) }
  }

  /// The streams whose responses are incomplete, in order.
  private var openStreams: [Int] {
    connection.reader.output.streams.all.filter { !$0.request.isEnded }.map(\.id).sorted()
  }

  /// Ends all streams with the connection.
  private func end(by error: StreamError?) {
    isOver = true
    events += openStreams.map { ($0, .failed(.connectionEnded(error))) }
  }
}

// MARK: - Frames in the client's role

extension HTTP2FrameReader.Found {
  /// The event of a stream that the server has reset. A complete response has no such event (RFC
  /// 9113 §8.1).
  init(reset stream: HTTP2Stream, by code: StreamError) {
    self.init(stream: stream.id)
    guard !stream.request.isEnded else { return }
    response = .failed(code == .refusedStream ? .notProcessed(code) : .reset(code))
  }
}

extension HTTP2FrameReader {
  /// Reads the head of a response, or of an interim response before it.
  mutating func readHead(
    _ block: HTTP2FieldBlocks.Block,
    _ head: HTTP2Stream.AwaitedHead,
    of stream: HTTP2Stream
  ) throws(HTTP2Fault) -> Found {
    let id = stream.id
    var awaited = head
    guard let fields = block.fields else { throw .refused(id, .fieldsTooLarge(limits)) }
    do throws(HTTP2RequestFields.Failure) {
      let start = try ResponseStart(fields, to: awaited.method, isWhole: block.endsStream)
      if start.isInterim {
        awaited.interimCount += 1
        guard awaited.interimCount <= bounds.interimResponsesMax else {
          throw .malformed("There are too many interim responses.")
        }
        stream.awaitedHead = awaited
        return Found(stream: id, response: .head(start))
      }
      stream.awaitedHead = nil
      // Content of a response that has none is as malformed as content beyond its length.
      if case .length(let length) = start.framing { stream.request.length = length }
      if start.framing == .none { stream.request.length = 0 }
      if block.endsStream { output.streams.endRequest(of: stream) }
      return Found(stream: id, isLast: block.endsStream, response: .head(start))
    } catch {
      switch error {
      case .malformed(let sentence): throw .stream(id, .protocolError, sentence)
      case .refused(let error): throw .refused(id, error)
      }
    }
  }
}

extension StreamError {
  /// Reads a code of a frame. An unknown one is treated as INTERNAL_ERROR (RFC 9113 §7).
  init(received code: Int) { self = StreamError(rawValue: UInt32(code)) ?? .internalError }
}
