extension SARIFLog {
  /// Creates the log of the secrets that were found on cassettes.
  init(_ files: [(path: String, leaks: [CassetteLeak])]) {
    self.init(
      files.flatMap { path, leaks in
        leaks.map { leak in
          let words = "This cassette contains a secret: \(leak)"
          return Result(leak.rule, "error", words, in: path, at: "#\(leak.number) \(leak.place)")
        }
      },
      of: DetectionRow.all.map { Rule($0.id, finds: $0.finds, help: $0.reason) }
    )
  }
}
