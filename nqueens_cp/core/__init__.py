"""The hand-written core: `compile` turns a model into a search form, `pure` searches it in plain Python."""
