/// What tells a request from others by what it says itself, whatever it is matched by: volatile parts do
/// not count, and the ordinals of its secrets may differ. Many requests of one address, as GraphQL's, are
/// told by their bodies.
struct RequestName: Hashable {
  private let address: String
  private let words: String?
  private let bytes: Body?

  init(_ interaction: Interaction) {
    let request = interaction.steady.request
    address = "\(request.method) \(request.url)".withoutRedactionOrdinals
    let text = request.body.count > Body.openedBytesMax ? nil : request.body.text
    words = text?.withoutRedactionOrdinals
    bytes = text == nil ? request.body : nil
  }
}
