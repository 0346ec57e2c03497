/// What a deck plays, in order: recordings as a cassette has them, in the very list, and functions.
struct Tape: Sendable {
  /// Every request with its answer; that of a function stands here empty.
  let interactions: [Interaction]
  /// The functions, by place.
  let computed: [Int: @Sendable (Request) -> Response]

  init(_ interactions: [Interaction]) {
    self.interactions = interactions
    computed = [:]
  }

  init(_ stubs: [Stub]) {
    var computed: [Int: @Sendable (Request) -> Response] = [:]
    interactions = stubs.enumerated().map { place, stub in
      switch stub {
      case .recorded(let interaction): return interaction
      case .computed(let request, let answer):
        computed[place] = answer
        return Interaction(request, Response())
      }
    }
    self.computed = computed
  }

  /// The interactions that are no functions.
  var recorded: [Interaction] { computed.isEmpty ? interactions : recordings.compactMap(\.self) }

  /// The same by place; `nil` where a function answers.
  var recordings: [Interaction?] {
    interactions.enumerated().map { computed[$0.offset] == nil ? $0.element : nil }
  }
}
