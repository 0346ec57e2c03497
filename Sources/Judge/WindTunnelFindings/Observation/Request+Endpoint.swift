extension Request {
  /// Creates a request from the endpoint of an observation, such as `GET /home`.
  package init(endpoint: String) {
    let words = endpoint.split(separator: " ", maxSplits: 1).map(String.init)
    let method = words.first ?? ""
    self.init(method, RequestURL(words.count > 1 ? words[1] : "", askedBy: method))
  }
}
