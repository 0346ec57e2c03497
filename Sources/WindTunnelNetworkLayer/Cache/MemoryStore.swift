/// Answers in memory, up to a number of bytes; whoever was not asked for the longest time goes first.
struct MemoryStore {
  private let most: Int
  private var answers: [String: (answer: CachedAnswer, use: Int)] = [:]
  private var uses = 0
  /// What is kept, in bytes.
  private(set) var bytes = 0

  init(bytes: Int) { most = max(0, bytes) }

  subscript(key: String) -> CachedAnswer? {
    mutating get {
      uses += 1
      answers[key]?.use = uses
      return answers[key]?.answer
    }
  }

  mutating func keep(_ answer: CachedAnswer) {
    remove(answer.key)
    // One that fills all the room would drive out everything for itself.
    guard answer.cost <= most / 2 else { return }
    uses += 1
    answers[answer.key] = (answer, uses)
    bytes += answer.cost
    while bytes > most, let oldest = answers.min(by: { $0.value.use < $1.value.use })?.key {
      remove(oldest)
    }
  }

  mutating func remove(_ key: String) {
    bytes -= answers.removeValue(forKey: key)?.answer.cost ?? 0
  }

  mutating func removeAll() {
    answers = [:]
    bytes = 0
  }
}
