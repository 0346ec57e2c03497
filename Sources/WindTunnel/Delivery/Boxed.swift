/// A value that is seldom there and large: beside those that hold it, so that they are copied without
/// it.
indirect enum Boxed<Value> {
  case value(Value)

  init(_ value: Value) { self = .value(value) }

  var value: Value {
    switch self {
    case .value(let value): value
    }
  }
}

extension Boxed: Sendable where Value: Sendable {}
extension Boxed: Equatable where Value: Equatable {}
extension Boxed: Hashable where Value: Hashable {}
