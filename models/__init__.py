"""The collection of models: one file for each problem, in plain constraints of the modelling language."""
