internal import Foundation
internal import WindTunnel

// Content that goes to the upstream while it comes from the client.
extension UpstreamExchange {
  /// Says in a head how the content is framed.
  func frameContent(_ headers: inout HeaderFields) {
    guard let upload else { return }
    headers["Content-Length"] = upload.length.map { String($0) }
    if upload.length == nil { headers["Transfer-Encoding"] = "chunked" }
  }

  /// Passes on what has come, as fast as the upstream takes it.
  func passContent() {
    guard isHeadSent, let channel, !isOver else { return }
    while !unsent.isEmpty, !channel.isCongested {
      channel.write(unsent.prefix(ResponseWriter.sliceBytes))
      unsent = unsent.dropFirst(ResponseWriter.sliceBytes)
    }
    if !unsent.isEmpty { channel.tellWhenDrained() }
    guard let upload else { return }
    let isChunked = upload.length == nil
    while !upload.waiting.isEmpty, !channel.isCongested {
      let data = upload.take(atMost: ResponseWriter.sliceBytes)
      channel.write { bytes in
        if isChunked { bytes.appendChunk(data) } else { bytes.append(contentsOf: data) }
      }
    }
    if upload.isWhole, upload.waiting.isEmpty, !upload.isEndPassed {
      upload.isEndPassed = true
      if isChunked { channel.write { $0.appendLastChunk() } }
    }
    if channel.isCongested { channel.tellWhenDrained() }
  }

  /// The upstream has taken what was queued.
  func contentDrained() {
    passContent()
    client?.read()
  }

  /// Whether it is the client that nothing comes from.
  var awaitsContent: Bool {
    guard let upload, let channel else { return false }
    return !upload.isWhole && upload.waiting.isEmpty && channel.queuedBytes == 0
  }
}
