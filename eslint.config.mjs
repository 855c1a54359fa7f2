// The report's page is one script, put together from these files (src/arcwise/report/html.py), so that what one of them
// declares at its top is there in all others.
import { readFileSync, readdirSync } from "node:fs";

import js from "@eslint/js";
import globals from "globals";

const folder = "src/arcwise/report/page";
const declared = new Map(
  readdirSync(new URL(folder, import.meta.url))
    .filter((name) => name.endsWith(".js"))
    .map((name) => {
      const text = readFileSync(new URL(`${folder}/${name}`, import.meta.url), "utf8");
      const found = text.matchAll(/^(?:async )?(?:class|function\*?|const|let) (\w+)/gm);
      return [name, [...found].map((match) => match[1])];
    }),
);

export default [
  ...[...declared.keys()].map((name) => ({
    files: [`${folder}/${name}`],
    languageOptions: {
      sourceType: "script",
      parserOptions: { ecmaFeatures: { impliedStrict: true } },
      globals: {
        ...globals.browser,
        ...Object.fromEntries(
          [...declared]
            .filter(([other]) => other !== name)
            .flatMap(([, names]) => names.map((shared) => [shared, "readonly"])),
        ),
      },
    },
  })),
  {
    files: [`${folder}/*.js`],
    rules: {
      ...js.configs.recommended.rules,
      "array-callback-return": "error",
      eqeqeq: "error",
      "no-control-regex": "off", // names are shown with their control characters made visible
      "no-misleading-character-class": "off", // joiners and variation selectors are sought one by one
      "no-redeclare": "error", // also what two files declare
      "no-self-compare": "error",
      "no-shadow": "error",
      "no-unmodified-loop-condition": "error",
      "no-unused-vars": ["error", { vars: "local" }], // another file may use what one declares at its top
      "no-useless-return": "error",
      "no-var": "error",
      "object-shorthand": "error",
      "prefer-const": "error",
      "prefer-template": "error",
      strict: ["error", "never"],
    },
  },
];
