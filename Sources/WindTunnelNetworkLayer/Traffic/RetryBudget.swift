/// What retries are paid from, so that clients who all fail do not send a storm.
///
/// Each call pays a part in, each retry costs one whole. Of *n* calls in a total outage at most
/// `reserve + share * n` are retries, whatever the policy would do: with the defaults and 60 calls
/// 22, an amplification of 1.37. The idea is Finagle's, whose share is 20 %, too.
public struct RetryBudget: Sendable, Hashable {
  /// What a call pays in: 0.2 lets one call in five have a retry.
  public var share: Double
  /// What is there at the start, so that the first calls may be tried again, too.
  public var reserve: Double
  /// The most that can be saved up.
  public var most: Double
  private(set) var balance: Double

  /// Makes a budget; by default a fifth, with ten at the start and a hundred at most.
  public init(share: Double = 0.2, reserve: Double = 10, most: Double = 100) {
    self.share = share
    self.reserve = reserve
    self.most = max(most, reserve)
    balance = reserve
  }

  /// A call begins.
  mutating func earn() { balance = min(most, balance + share) }

  /// A retry wants to begin; false where there is nothing to pay it from.
  mutating func spend() -> Bool {
    // A share like 0.2 is no binary fraction: five of them are a hair less than one.
    guard balance > 1 - 1e-9 else { return false }
    balance -= 1
    return true
  }
}
