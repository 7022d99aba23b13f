// What is looked for beside types: mistakes, not manners. Types are checked by TypeScript, so names it knows are not looked up here.
const error = /** @type {const} */ ("error");
export default [
  {ignores: ["node_modules/"]},
  {
    files: ["**/*.js", "**/*.mjs"],
    rules: {
      "array-callback-return": error, "constructor-super": error, "eqeqeq": error, "for-direction": error, "getter-return": error, "no-async-promise-executor": error,
      "no-case-declarations": error, "no-class-assign": error, "no-compare-neg-zero": error, "no-cond-assign": error, "no-const-assign": error, "no-constant-condition": error,
      "no-control-regex": error, "no-debugger": error, "no-dupe-else-if": error, "no-dupe-keys": error, "no-duplicate-case": error, "no-empty-pattern": error, "no-eval": error,
      "no-ex-assign": error, "no-fallthrough": error, "no-implied-eval": error, "no-invalid-regexp": error, "no-new-func": error, "no-new-wrappers": error, "no-prototype-builtins": error,
      "no-redeclare": error, "no-self-assign": error, "no-self-compare": error, "no-setter-return": error, "no-shadow-restricted-names": error, "no-sparse-arrays": error,
      "no-template-curly-in-string": error, "no-this-before-super": error, "no-unmodified-loop-condition": error, "no-unreachable": error, "no-unsafe-finally": error,
      "no-unsafe-negation": error, "no-unused-vars": [error, {args: "after-used", argsIgnorePattern: "^_", varsIgnorePattern: "^_", destructuredArrayIgnorePattern: "^_", caughtErrors: "none"}],
      "no-useless-backreference": error, "no-useless-escape": error, "no-var": error, "prefer-const": [error, {destructuring: "all"}], "use-isnan": error, "valid-typeof": error,
    },
  },
];
