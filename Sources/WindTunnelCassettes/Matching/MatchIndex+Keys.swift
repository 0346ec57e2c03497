extension MatchIndex {
  /// What equal requests are counted by.
  package func playKey(_ request: Request, _ key: RequestKey) -> RequestKey {
    matcher.comparesMethod ? key : matcher.lookUpKey(request, key: key)
  }

  /// The same for a request that is the first of all.
  func sequence(for request: Request, key: RequestKey) -> Sequence? {
    var bindings = Bindings()
    return sequence(for: request, key: key, lane: .deck, bindings: &bindings)
  }
}
