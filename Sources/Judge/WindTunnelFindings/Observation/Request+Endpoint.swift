extension Request {
  /// A request of an observation's endpoint, `GET /home`.
  package init(endpoint: String) {
    let words = endpoint.split(separator: " ", maxSplits: 1).map(String.init)
    let method = words.first ?? ""
    self.init(method, RequestURL(words.count > 1 ? words[1] : "", askedBy: method))
  }
}
