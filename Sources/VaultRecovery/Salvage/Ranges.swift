extension Array {
  /// Returns whether one of the ranges, which are sorted and disjoint, contains a number.
  func holds<Number: Comparable>(_ number: Number) -> Bool where Element == ClosedRange<Number> {
    var (low, high) = (0, count)
    while low < high {
      let middle = (low + high) / 2
      if self[middle].upperBound < number { low = middle + 1 } else { high = middle }
    }
    return low < count && self[low].contains(number)
  }
}
