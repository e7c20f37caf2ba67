extension Challenge {
  /// The challenge as a field says it, which reads as the same again.
  public var fieldValue: String { "" }
}
