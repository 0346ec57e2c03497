internal import Foundation

/// All content of an interaction that may repeat a secret: its texts, and streams that are too
/// large for memory.
struct InteractionTexts {
  private var texts: [Bytes]
  private var streams: [(body: Body, batches: EventBatches)] = []
  /// Whether some content could not be searched.
  private(set) var isBlind = false

  init(_ interaction: Interaction) {
    let notes = interaction.notes + interaction.innerNotes.values.flatMap(\.self)
    texts =
      ["\(interaction.request.url)", interaction.failure?.text ?? ""].map { Bytes($0.utf8) }
      + [Bytes(JSON.object(notes).bytes())] + interaction.messages.map { Bytes($0.body.data) }
    add(interaction.request.headers, interaction.request.body)
    guard let response = interaction.response else { return }
    add(response.headers, response.body)
    let further = Array(response.trailers) + response.head.informational.flatMap(\.headers)
    texts += further.map { Bytes($0.value.utf8) }
    if let reason = response.head.customReasonPhrase { texts.append(Bytes(reason.utf8)) }
  }

  private mutating func add(_ headers: HeaderFields, _ body: Body) {
    texts += headers.map { Bytes($0.value.utf8) }
    if let batches = EventBatches(large: body, of: headers) {
      streams.append((body, batches))
    } else if body.count > Body.openedBytesMax {
      isBlind = true
    } else {
      let opened = headers.opened(body.data)
      if opened == nil { isBlind = true }
      texts.append(Bytes(opened?.content ?? body.data))
      if let opened { texts.append(Bytes(opened.surplus)) }
    }
  }

  /// The number of bytes.
  var count: Int { texts.reduce(0) { $0 + $1.count } + streams.reduce(0) { $0 + $1.body.count } }

  /// Reads all content; streams are read part by part.
  func forEach(_ read: (Bytes) -> Void) {
    texts.forEach(read)
    for (body, batches) in streams {
      for batch in batches { read(Bytes(body.bytes(batch))) }
    }
  }
}
