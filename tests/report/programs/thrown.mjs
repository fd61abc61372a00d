function inner(value) {
  return value.length;
}
inner(undefined);
